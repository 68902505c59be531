import type { NetworkActionKind } from '../../domain/actions.ts';
import type { Tx } from '../../postgres/database.ts';
import type { NewAction } from '../../store/actions/actions.ts';
import { holdForHuman } from '../../store/runs/hold-for-human.ts';
import { actorOf } from '../actor-of.ts';
import type { ToolContext } from '../tool-context.ts';
import { actingAccount } from './acting-account.ts';
import { instead, type PlannedDirect, planDirect } from './direct-action.ts';
import { namedLead, requireLead } from './target-lead.ts';

/** Who is meant, and who acts. */
export interface PersonRequest {
  leadId?: string | undefined;
  profileUrl?: string | undefined;
  networkAccountId?: string | undefined;
  timing: 'paced' | 'now';
}

/** What is done to them. */
export interface PersonAction extends Pick<NewAction, 'once' | 'body' | 'target' | 'unclaimed'> {
  action: NetworkActionKind;
  /** Somebody talks to them: the robot is silent from now on. */
  human: boolean;
}

/** Plans an action to a person who is named by lead or profile. */
export async function planForPerson(
  ctx: ToolContext,
  tx: Tx,
  request: PersonRequest,
  { human, ...action }: PersonAction,
): Promise<PlannedDirect> {
  const lead = await namedLead(ctx, tx, request);
  const now = ctx.clocks.product.now();
  const { account, remaining } = await actingAccount(tx, {
    workspaceId: ctx.workspaceId,
    networkAccountId: request.networkAccountId,
    budgets: [action.action],
    now,
  });
  if (ctx.providers(account.provider)?.unsupported?.has(action.action))
    return {
      ...instead(
        'failed',
        `The network offers no call for ${action.action}, only its own application does. Call svc_send_connection_request.`,
        remaining,
      ),
      deduplicated: false,
    };
  const { leadId } = lead;
  const planned = await planDirect(ctx, tx, {
    ...action,
    leadId,
    accountId: account.id,
    budgets: [action.action],
    timing: request.timing,
  });
  if (planned === 'already_sent')
    return instead('already_done', `This ${action.action} was done for this person before.`, remaining);
  if (human) await silence(ctx, tx, { leadId, accountId: account.id });
  return { actionId: planned.actionId, deduplicated: !planned.made, budgetRemaining: remaining, instead: null };
}

/** Holds what workflows would say to a person to whom the caller talks. */
export async function silence(
  ctx: ToolContext,
  tx: Tx,
  { leadId, accountId }: { leadId: string; accountId: string },
): Promise<void> {
  // The plan has settled who the lead is.
  const { personId } = await requireLead(tx, ctx.workspaceId, leadId);
  if (personId === null) return;
  const now = ctx.clocks.product.now();
  const by = { workspaceId: ctx.workspaceId, actor: actorOf(ctx) };
  await holdForHuman(tx, { now, accountId, personIds: [personId], at: now, by });
}
