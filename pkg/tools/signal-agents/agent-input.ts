import { z } from 'zod';
import { SIGNAL_TYPES } from '../../domain/condition.ts';
import { checkCron } from '../../domain/schedule/check-cron.ts';
import { Cron } from '../../domain/schedule/cron.ts';
import { sourceAddress } from '../../domain/signals/source-address.ts';
import type { Tx } from '../../postgres/database.ts';
import type { AgentSettings } from '../../store/signals/signal-agents.ts';
import { type GivenSource, MOST_SOURCES } from '../../store/signals/signal-sources.ts';
import { requireCompany } from '../companies/company-row.ts';
import { invalidInput, notFound } from '../errors.ts';
import { requireAccountOf } from '../network-accounts/account-row.ts';
import { requireScope } from '../require-scope.ts';
import { iso } from '../times.ts';
import type { ToolContext } from '../tool-context.ts';
import { requireWorkflow } from '../workflows/workflow-row.ts';

const words = z.array(z.string().min(1).max(200)).max(100).optional();
const criteria = z
  .strictObject({
    titles: words,
    industries: words,
    seniorities: words,
    companySizes: words,
    keywords: words,
    locations: words,
  })
  .optional()
  .describe('ICP-style lists; all that are given have to match.');

const source = z.strictObject({
  kind: z.enum(['feed', 'site']),
  url: z.string().min(1).max(1_000),
  companyId: z.string().min(1).optional().describe('Whose own it is: "we" means it.'),
});

/** Parameters that creating and changing an agent share; defaults are told in the schema of one that changes, and stand for nothing. */
export const agentParams = {
  criteria,
  workflowId: z.string().min(1).optional().describe('Matching leads are enqueued here.'),
  networkAccountId: z.string().min(1).optional(),
  minScore: z.number().min(0).max(200).optional(),
  dailyLeadLimit: z.int().min(1).max(1_000).optional().meta({ default: 25 }),
  dailyCreditLimit: z
    .int()
    .min(0)
    .max(100_000)
    .optional()
    .describe('Whom a search of the network finds costs 1 each; 0: none is made.'),
  schedule: z.string().max(100).optional().describe('Cron, 5 fields, workspace timezone; default "0 6 * * 1-5".'),
  playbook: z
    .string()
    .max(20_000)
    .optional()
    .describe('Own playbook: replaces workspace playbook and campaign override; empty: none.'),
  handleReplies: z
    .boolean()
    .optional()
    .meta({ default: false })
    .describe('A reply of somebody it found becomes a draft in the review queue.'),
  judge: z
    .string()
    .max(1_000)
    .optional()
    .describe(
      'What must be true of a signal besides, in your words: a language model says so and quotes it; empty: nothing.',
    ),
  sources: z
    .array(source)
    .max(MOST_SOURCES)
    .optional()
    .describe('Feeds (RSS, Atom, JSON) and pages that tell of funding and growth of known companies; replaces all.'),
};

export const signalTypes = z.array(z.enum(SIGNAL_TYPES)).max(4);

/** What a caller set of an agent. */
export interface AgentChange {
  signalTypes?: AgentSettings['signalTypes'] | undefined;
  criteria?: z.output<typeof criteria>;
  workflowId?: string | undefined;
  networkAccountId?: string | undefined;
  minScore?: number | undefined;
  dailyLeadLimit?: number | undefined;
  dailyCreditLimit?: number | undefined;
  playbook?: string | undefined;
  handleReplies?: boolean | undefined;
  judge?: string | undefined;
  sources?: readonly { kind: 'feed' | 'site'; url: string; companyId?: string | undefined }[] | undefined;
}

/** The settings after a change: what is not given stays; criteria are replaced whole. */
export function changedSettings(known: AgentSettings, change: AgentChange): AgentSettings {
  const { criteria: given } = change;
  return {
    signalTypes: change.signalTypes ? [...new Set(change.signalTypes)] : known.signalTypes,
    criteria: given
      ? {
          titles: given.titles ?? [],
          industries: given.industries ?? [],
          seniorities: given.seniorities ?? [],
          companySizes: given.companySizes ?? [],
          keywords: given.keywords ?? [],
          locations: given.locations ?? [],
        }
      : known.criteria,
    workflowId: change.workflowId ?? known.workflowId,
    networkAccountId: change.networkAccountId ?? known.networkAccountId,
    minScore: change.minScore ?? known.minScore,
    dailyLeadLimit: change.dailyLeadLimit ?? known.dailyLeadLimit,
    dailyCreditLimit: change.dailyCreditLimit ?? known.dailyCreditLimit,
    playbook: change.playbook?.trim() ?? known.playbook,
    handleReplies: change.handleReplies ?? known.handleReplies,
    judge: change.judge?.trim() ?? known.judge,
  };
}

/**
 * Who sets the workflow of an agent enrols by it, and its playbook stands above that of a campaign: that takes the scopes for both.
 * @param known the agent as it is; absent: it is new
 * @throws UserError that names the scope
 */
export function requireScopesOf(
  ctx: Pick<ToolContext, 'caller'>,
  change: AgentChange,
  known: Pick<AgentSettings, 'workflowId' | 'playbook'> = { workflowId: null, playbook: '' },
): void {
  const { workflowId = known.workflowId, playbook = known.playbook } = change;
  if (workflowId !== known.workflowId) requireScope(ctx, 'workflows:write', 'set the workflow of an agent');
  if (playbook.trim() !== known.playbook) requireScope(ctx, 'campaigns:write', 'set the playbook of an agent');
}

/** What the change names is there, in the agent's workspace. @throws UserError not found */
export async function requireNamed(tx: Tx, workspaceId: string, change: AgentChange): Promise<void> {
  if (change.workflowId !== undefined) {
    const workflow = await requireWorkflow(tx, change.workflowId);
    if (workflow.workspace_id !== workspaceId) throw notFound('workflow', change.workflowId);
  }
  if (change.networkAccountId !== undefined) await requireAccountOf(tx, workspaceId, change.networkAccountId);
}

/**
 * The sources that a change gives an agent, in their one form, each once; null: it gives none.
 * @throws UserError: an address that nobody reads, a company that the workspace does not know
 */
export async function givenSources(tx: Tx, workspaceId: string, change: AgentChange): Promise<GivenSource[] | null> {
  if (change.sources === undefined) return null;
  const given = new Map<string, GivenSource>();
  for (const [place, { kind, url: written, companyId }] of change.sources.entries()) {
    const address = sourceAddress(written);
    if ('refused' in address) throw invalidInput(`sources[${place}].url`, address.refused);
    if (companyId !== undefined) await requireCompany(tx, workspaceId, companyId);
    given.set(address.url, { kind, url: address.url, companyId: companyId ?? null });
  }
  return [...given.values()];
}

/** Checks a schedule. @throws UserError with the reason and the next times that a refused one would have */
export function timingOf(
  cron: string,
  timezone: string,
  now: number,
): { kind: 'cron'; cron: string; timezone: string } {
  const checked = checkCron(cron, timezone, now);
  if (checked instanceof Cron) return { kind: 'cron', cron, timezone };
  const times = checked.next.map(iso).join(', ');
  throw invalidInput('schedule', `${checked.reason}${times === '' ? '' : `; its next times would be ${times}`}`);
}
