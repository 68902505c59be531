import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import {
  countExclusions,
  type ExclusionEffect,
  MOST_EXCLUSIONS,
  MOST_KEYWORDS,
} from '../../store/suppression/exclude.ts';
import { wrongState } from '../errors.ts';
import { iso } from '../times.ts';
import type { ToolContext } from '../tool-context.ts';

/** What exclusions do to whom, as both tools that add them tell it. */
export const effectFields = {
  runsStopped: z.number().describe('Live runs that ended; with dryRun those that would.'),
  leadsMatched: z.number().describe('People of the workspace whom it meets: all under way, and the newest 100,000.'),
  examples: z
    .array(z.object({ leadId: z.string(), fullName: z.string(), title: z.string(), company: z.string() }))
    .describe('None without the scope leads:read.'),
  sentBefore: z
    .array(z.object({ leadId: z.string(), runId: z.string(), action: z.string(), at: z.string() }))
    .describe('What had left before, newest 20: no exclusion takes it back.'),
};

/** The fields of an effect; people are named to who may read leads. */
export function effectOf(
  { caller }: Pick<ToolContext, 'caller'>,
  effect: ExclusionEffect,
): {
  runsStopped: number;
  leadsMatched: number;
  examples: ExclusionEffect['examples'];
  sentBefore: { leadId: string; runId: string; action: string; at: string }[];
} {
  const { runsStopped, leadsMatched, sentBefore } = effect;
  const examples = caller.scopes.has('leads:read') ? effect.examples : [];
  return { runsStopped, leadsMatched, examples, sentBefore: sentBefore.map((one) => ({ ...one, at: iso(one.at) })) };
}

/** Keeps a workspace's exclusions within what every check can bear. @throws UserError when there would be too many */
export async function requireRoom(
  tx: Tx,
  workspaceId: string,
  entries: readonly { kind: string }[],
  now: number,
): Promise<void> {
  const there = await countExclusions(tx, workspaceId, now);
  const keywords = entries.filter(({ kind }) => kind === 'keyword').length;
  if (there.all + entries.length > MOST_EXCLUSIONS)
    throw wrongState(`A workspace has at most ${MOST_EXCLUSIONS} exclusions`, 'svc_list_signal_exclusions');
  if (keywords > 0 && there.keywords + keywords > MOST_KEYWORDS)
    throw wrongState(`A workspace has at most ${MOST_KEYWORDS} keywords`, 'svc_list_signal_exclusions');
}
