import { type ActionView, CANCELLED_BY_REPLY, NEWER_MESSAGE, readAction } from '../../store/actions/actions.ts';
import { isAwake } from '../../store/leases/executor-awake.ts';
import { lookUntil, OUTCOME_MS } from '../look-until.ts';
import { iso } from '../times.ts';
import type { ToolContext } from '../tool-context.ts';

/** How an action stands, told to its caller. */
export const STATUSES = [
  'scheduled',
  'under_way',
  'done',
  'failed',
  'stopped',
  'unknown',
  'already_pending',
  'already_connected',
  'already_done',
] as const;

/** Where an action is. */
export interface ActionStand {
  status: (typeof STATUSES)[number];
  scheduledFor: string | null;
  detail: string | null;
}

/** Real ms that a caller waits for the promised moment of a paced action. */
const PROMISE_MS = 5_000;

/** Waits that nothing ends within seconds. */
const LONG_WAITS: ReadonlySet<string | null> = new Set(['send_freeze', 'account_unhealthy', 'budget']);

/**
 * Where the action stands once its outcome, or its promised moment, is known, or the caller has waited long enough. The client that
 * goes away ends the wait, and the action goes on.
 */
export async function awaitAction(ctx: ToolContext, actionId: string, timing: 'paced' | 'now'): Promise<ActionStand> {
  return lookUntil<ActionStand>(ctx, timing === 'now' ? OUTCOME_MS : PROMISE_MS, async (late) => {
    const { view, awake } = await ctx.tx(async (tx) => ({
      view: await readAction(tx, actionId),
      awake: timing === 'now' || (await isAwake(tx, ctx.workspaceId)),
    }));
    if (!view) return { status: 'stopped', scheduledFor: null, detail: 'It is not there any more.' };
    const known = timing === 'now' ? isSettled(view) : isPromised(view) || !awake;
    return known || late() ? standOf(view) : undefined;
  });
}

function isSettled(view: ActionView): boolean {
  return view.endedAt !== null || view.sendState === 'unknown' || LONG_WAITS.has(view.waitReason);
}

function isPromised(view: ActionView): boolean {
  return view.endedAt !== null || view.sendState !== null || view.waitReason !== null;
}

/** The words for where an action stands, and the tool that shows more. */
export function standOf(view: ActionView): ActionStand {
  const see = `Call svc_diagnose with target action and targetId "${view.id}" to see what becomes of it.`;
  const stand = (status: ActionStand['status'], detail: string | null): ActionStand => ({
    status,
    scheduledFor: null,
    detail,
  });
  switch (view.state) {
    case 'done':
      return stand('done', view.refusedCopies && copiesRefused(view.refusedCopies));
    case 'failed':
      return stand('failed', endOf(view));
    case 'stopped':
      return stand('stopped', endOf(view));
    case 'open':
  }
  if (view.sendState === 'unknown')
    return stand(
      'unknown',
      `It left and its answer was lost; the network is being asked. Nothing is sent again. ${see}`,
    );
  if (view.dueAt === null) return stand('under_way', see);
  const why = view.waitReason === null ? 'It waits for its turn' : `It waits for ${view.waitReason}`;
  return { status: 'scheduled', scheduledFor: iso(view.dueAt), detail: `${why}. ${see}` };
}

/** Who was to get a copy and gets none. */
function copiesRefused(addresses: readonly string[]): string {
  return `The server took the mail, and refused the copies to ${addresses.join(', ')}. Call svc_add_signal_exclusion for an address that is wrong.`;
}

/** Why it did not happen, and what helps. */
function endOf({ outcome, error }: ActionView): string {
  if (error === CANCELLED_BY_REPLY)
    return `${CANCELLED_BY_REPLY}: the person wrote after it was planned. Call svc_list_messages.`;
  if (outcome === NEWER_MESSAGE) return `${error ?? 'a newer message arrived'}. Call svc_list_messages.`;
  if (outcome === 'not_connected')
    return 'The person is no connection of the account. Call svc_send_connection_request or svc_send_inmail.';
  if (outcome === 'no_credits') return 'The account has no InMail credits. Call svc_get_network_account_budgets.';
  return error ?? 'the network refused it';
}
