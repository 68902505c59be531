import { signalRulesOf } from '../../domain/signal-score.ts';
import type { AgentRules } from '../../domain/signals/agent-rules.ts';
import type { SignalFacts } from '../../domain/signals/decide-signal.ts';
import type { Tx } from '../../postgres/database.ts';
import type { PersonFacts } from './person-facts.ts';
import type { SignalAgent } from './signal-agents.ts';
import type { SeenSignal } from './signal-page.ts';

/** What a run of an agent is about. */
export interface Deciding {
  /** Locked by the transaction: an agent decides about one batch after the other. */
  agent: SignalAgent;
  rules: AgentRules;
  scheduledRunId: string;
  /** The campaign whose scores and exclusions count: of the agent, else of its workflow. */
  campaignId: string | null;
  /** IANA zone of the workspace: its days have limits. */
  timezone: string;
  /** Leads that the run may still enqueue besides the limit of the day; null: as many as that. */
  leadsLeft: number | null;
  /** Epoch ms, product time. */
  now: number;
  newId: () => string;
}

/** A signal whose outcome is still open. */
export interface Undecided {
  signal: SeenSignal;
  person: PersonFacts | undefined;
  facts: SignalFacts;
  runId: string | null;
}

/** In place of a run's id: the person waits for a workflow that listens to the agent. */
export const QUEUED = 'queued';

/**
 * What an agent decides by. @param run `leadsLeft`: leads that it may still enqueue; null: as many as its day has room for
 * @returns also of a workflow that is not there any more: its enrolment takes nobody
 */
export async function openDeciding(
  tx: Tx,
  agent: SignalAgent,
  run: { scheduledRunId: string; leadsLeft: number | null; now: number; newId: () => string },
): Promise<Deciding> {
  const row = await tx.row<{ campaignId: string | null; timezone: string; settings: object | null }>(
    `select c.id as "campaignId", w.timezone, c.settings
     from workspace w
     left join workflow f on f.id = $3 and f.workspace_id = w.id
     left join campaign c on c.id = coalesce($2, f.campaign_id) and c.workspace_id = w.id
     where w.id = $1`,
    [agent.workspaceId, agent.campaignId, agent.workflowId],
  );
  const rules: AgentRules = {
    signalTypes: agent.signalTypes,
    criteria: agent.criteria,
    minScore: agent.minScore,
    ...(agent.judge === '' ? {} : { judge: agent.judge }),
    signals: signalRulesOf(row?.settings ?? {}),
  };
  return { ...run, agent, rules, campaignId: row?.campaignId ?? null, timezone: row?.timezone ?? 'UTC' };
}
