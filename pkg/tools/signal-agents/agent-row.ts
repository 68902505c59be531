import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import { SIGNAL_TYPES } from '../../domain/condition.ts';
import { NO_CRITERIA } from '../../domain/signals/agent-rules.ts';
import type { Tx } from '../../postgres/database.ts';
import type { RunView } from '../../store/schedules/scheduled-runs.ts';
import { lockAgent, readAgent, type SignalAgent } from '../../store/signals/signal-agents.ts';
import type { SignalSource } from '../../store/signals/signal-sources.ts';
import { type CompactForm, cut } from '../compact.ts';
import { notFound } from '../errors.ts';
import { iso, isoOrNull } from '../times.ts';

const words = z.array(z.string());

/** Catalog record SignalAgent. */
export const signalAgentRecord = z.object({
  signalAgentId: z.string(),
  workspaceId: z.string(),
  campaignId: z.string().nullable(),
  name: z.string(),
  status: z.enum(['active', 'paused']),
  signalTypes: z.array(z.enum(SIGNAL_TYPES)),
  criteria: z.object({
    titles: words,
    industries: words,
    seniorities: words,
    companySizes: words,
    keywords: words,
    locations: words,
  }),
  workflowId: z.string().nullable(),
  networkAccountId: z.string().nullable(),
  minScore: z.number().nullable(),
  dailyLeadLimit: z.number(),
  dailyCreditLimit: z.number().nullable(),
  schedule: z.string(),
  hasOwnPlaybook: z.boolean(),
  playbook: z.string().nullable(),
  handleReplies: z.boolean(),
  judge: z.string().nullable(),
  sources: z.array(
    z.object({
      kind: z.enum(['feed', 'site']),
      url: z.string(),
      companyId: z.string().nullable(),
      readAt: z.string().nullable(),
      failures: z.number().describe('In a row.'),
      failure: z.string().nullable(),
    }),
  ),
  lastRun: z
    .object({
      agentRunId: z.string(),
      status: z.string(),
      startedAt: z.string().nullable(),
      finishedAt: z.string().nullable(),
      result: z.record(z.string(), z.unknown()),
      error: z.string().nullable(),
    })
    .nullable(),
  nextRunAt: z.string().nullable(),
});

/** An agent of a list: as much of it as the caller asked for, and what it enqueued on the last whole day of the workspace. */
export const listedAgent = signalAgentRecord
  .partial()
  .required({ signalAgentId: true })
  .extend({ enqueuedYesterday: z.number() });

/** What it looks for and whether it does; rules and playbook are in the single agent. */
export const AGENT_FORM: CompactForm = {
  id: 'signalAgentId',
  known: Object.keys(signalAgentRecord.shape),
  kept: ['campaignId', 'name', 'status', 'signalTypes', 'workflowId', 'dailyLeadLimit', 'schedule', 'nextRunAt'],
  short: { name: (name: string) => cut(name, 40) },
};

/** Reads an agent under the caller's rights. @throws UserError not found */
export async function requireAgent(tx: Tx, signalAgentId: string, lock = false): Promise<SignalAgent> {
  const agent = isUuid(signalAgentId) ? await (lock ? lockAgent : readAgent)(tx, signalAgentId) : undefined;
  if (!agent) throw notFound('signalAgent', signalAgentId);
  return agent;
}

/** The record of an agent. @param last its last run */
export function agentOf(
  agent: SignalAgent,
  last: RunView | undefined,
  sources: readonly SignalSource[],
): z.input<typeof signalAgentRecord> {
  return {
    signalAgentId: agent.id,
    workspaceId: agent.workspaceId,
    campaignId: agent.campaignId,
    name: agent.name,
    status: statusOf(agent),
    signalTypes: [...agent.signalTypes],
    criteria: criteriaOf(agent),
    workflowId: agent.workflowId,
    networkAccountId: agent.networkAccountId,
    minScore: agent.minScore,
    dailyLeadLimit: agent.dailyLeadLimit,
    dailyCreditLimit: agent.dailyCreditLimit,
    schedule: agent.cron,
    hasOwnPlaybook: agent.playbook !== '',
    playbook: agent.playbook || null,
    handleReplies: agent.handleReplies,
    judge: agent.judge || null,
    sources: sources.map(({ kind, url, companyId, readAt, faults, fault }) => ({
      kind,
      url,
      companyId,
      readAt: isoOrNull(readAt),
      failures: faults,
      failure: fault || null,
    })),
    lastRun: last ? lastRunOf(last) : null,
    nextRunAt: isoOrNull(agent.nextFor),
  };
}

export function statusOf(agent: SignalAgent): 'active' | 'paused' {
  return agent.active ? 'active' : 'paused';
}

function criteriaOf({ criteria }: SignalAgent): z.input<typeof signalAgentRecord>['criteria'] {
  const { titles, industries, seniorities, companySizes, keywords, locations } = { ...NO_CRITERIA, ...criteria };
  return {
    titles: [...titles],
    industries: [...industries],
    seniorities: [...seniorities],
    companySizes: [...companySizes],
    keywords: [...keywords],
    locations: [...locations],
  };
}

function lastRunOf(run: RunView): z.input<typeof signalAgentRecord>['lastRun'] {
  return {
    agentRunId: run.id,
    status: run.state,
    startedAt: isoOrNull(run.startedAt),
    finishedAt: run.finishedAt === null ? null : iso(run.finishedAt),
    result: run.result,
    error: run.error,
  };
}
