import { z } from 'zod';
import { budgetsOf } from '../../domain/actions.ts';
import { textLimit } from '../../domain/text-limits.ts';
import type { Tx } from '../../postgres/database.ts';
import { relationBetween } from '../../store/accounts/relation-between.ts';
import { invalidInput } from '../errors.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { actingAccount } from './acting-account.ts';
import { direct, directResult, instead, type PlannedDirect, planDirect, timingParams } from './direct-action.ts';
import { actingParam, personParams } from './direct-params.ts';
import { namedLead } from './target-lead.ts';

const input = z.strictObject({
  ...actingParam,
  ...personParams,
  note: z.string().max(300).optional(),
  ...timingParams('paced'),
});
type Request = z.output<typeof input>;

export const sendConnectionRequest = tool({
  name: 'svc_send_connection_request',
  domain: 'Outreach',
  title: 'Send connection request',
  description:
    'Sends a connection request to a person; a pending or existing connection is reported, not repeated. Next: svc_list_conversations.',
  example: {
    input: { profileUrl: 'https://www.linkedin.com/in/asked-by-hand', note: 'We met in Lyon.' },
    other: { note: 'We met in Nice.' },
  },
  scope: 'outreach:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  workspace: 'param',
  input,
  output: z.object(directResult),
  async run(ctx, request) {
    return (await direct(ctx, request.timing, (tx) => plan(ctx, tx, request))).result;
  },
});

async function plan(ctx: ToolContext, tx: Tx, request: Request): Promise<PlannedDirect> {
  const lead = await namedLead(ctx, tx, request);
  const note = request.note?.trim() ?? '';
  const budgets = budgetsOf('connection_request', note !== '');
  const { account, remaining } = await actingAccount(tx, {
    workspaceId: ctx.workspaceId,
    networkAccountId: request.networkAccountId,
    budgets,
    now: ctx.clocks.product.now(),
  });
  const most = textLimit('note', account.tier) ?? 300;
  if (note.length > most)
    throw invalidInput('note', `has ${note.length} characters; an account of tier ${account.tier} may write ${most}`);
  const before = await known(tx, account.id, lead.personId, remaining);
  if (before) return before;
  const planned = await planDirect(ctx, tx, {
    leadId: lead.leadId,
    accountId: account.id,
    action: 'connection_request',
    budgets,
    once: null,
    body: note === '' ? null : note,
    target: {},
    unclaimed: true,
    timing: request.timing,
  });
  if (planned === 'already_sent')
    return (
      (await known(tx, account.id, lead.personId, remaining)) ??
      instead(
        'already_pending',
        'A request of this account to this person is under way, or was made before.',
        remaining,
      )
    );
  return { actionId: planned.actionId, deduplicated: !planned.made, budgetRemaining: remaining, instead: null };
}

/** What the account knows of the person: nobody is asked twice. */
async function known(
  tx: Tx,
  accountId: string,
  personId: string | null,
  remaining: number,
): Promise<PlannedDirect | null> {
  const relation = personId === null ? undefined : await relationBetween(tx, accountId, personId);
  switch (relation?.state) {
    case 'connected':
      return instead('already_connected', 'They are connected. Call svc_send_message.', remaining);
    case 'pending':
      return instead('already_pending', 'A request waits for their answer. Call svc_list_conversations.', remaining);
    default:
      return null;
  }
}
