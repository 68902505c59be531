import { isUuid } from '../../../base/ids.ts';
import { type ActionView, readAction } from '../../../store/actions/actions.ts';
import { notFound } from '../../errors.ts';
import { iso } from '../../times.ts';
import { accountChecks } from './account-checks.ts';
import { type Check, type CheckContext, fail, firstOf, pass, waits } from './check.ts';
import { providerAccountChecks } from './provider-account-checks.ts';
import { activationOf } from './stop-checks.ts';
import { workspaceAtWork } from './workspace-at-work.ts';

/** Why an action without a run was not done yet, or how it ended. */
export async function actionChecks(context: CheckContext): Promise<Check[]> {
  const { tx, workspaceId, targetId } = context;
  const action = isUuid(targetId) ? await readAction(tx, targetId) : undefined;
  if (!action || action.workspaceId !== workspaceId) throw notFound('action', targetId);
  const itself = actionCheck(action, context);
  if (action.state !== 'open') return [itself];
  const checksOf = action.action === 'mail' ? providerAccountChecks : accountChecks;
  const account = await checksOf({ ...context, targetId: action.accountId });
  return [
    itself,
    await workspaceAtWork(context, 'action_workspace'),
    await campaignCheck(action, context),
    firstOf('action_account', account, 'Its account may act.'),
  ];
}

/** To whom the server refused a copy of a mail that it took. */
function withoutCopies({ refusedCopies }: ActionView): string {
  return refusedCopies === null ? '' : `; the server refused the copies to ${refusedCopies.join(', ')}`;
}

/** Where it stands by itself. */
function actionCheck(action: ActionView, { workspaceId }: CheckContext): Check {
  const what = action.leadId === null ? 'The content post' : `The ${action.action} for lead ${action.leadId}`;
  switch (action.state) {
    case 'done':
      return pass('action', `${what} was done ${iso(action.endedAt ?? 0)}${withoutCopies(action)}.`);
    case 'stopped':
      return pass('action', `${what} was stopped ${iso(action.endedAt ?? 0)}: ${action.error ?? ''}.`);
    case 'failed':
      return pass(
        'action',
        `${what} failed ${iso(action.endedAt ?? 0)}, and is not tried again: ${action.error ?? ''}.`,
      );
    default:
  }
  if (action.deadLetter)
    return fail(
      'action',
      `The outcome of the ${action.action} is not known; an admin of the platform finds out and says it.`,
      'svc_admin_list_dead_letters',
      { workspaceId },
    );
  if (action.sendState === 'unknown') return waits('action', `${what} left, and its outcome is being looked up.`);
  if (action.dueAt === null) return waits('action', `${what} is being done.`);
  const why = action.waitReason === null ? '' : `, waits for ${action.waitReason}`;
  const tries = action.tries === 0 ? '' : `; it failed ${action.tries} times: ${action.error ?? ''}`;
  const limit = action.expiresAt === null ? '' : `; it does not begin after ${iso(action.expiresAt)}`;
  return waits('action', `${what} is planned${why}; it acts next ${iso(action.dueAt)}${tries}${limit}.`);
}

async function campaignCheck({ campaignId }: ActionView, { tx }: CheckContext): Promise<Check> {
  if (campaignId === null) return pass('action_campaign', 'It belongs to no campaign.');
  const row = await tx.row<{ state: string; held: boolean }>(
    `select state, exists (select 1 from hold h where h.kind = 'campaign' and h.id = c.id) as held
     from campaign c
     where c.id = $1 and c.deleted_at is null`,
    [campaignId],
  );
  if (row?.state === 'active' && !row.held) return pass('action_campaign', 'Its campaign is active.');
  const state = row?.held ? 'stopped by a tool' : (row?.state ?? 'deleted');
  const input = { campaignId, ...activationOf(row?.state ?? 'active') };
  return fail('action_campaign', `Its campaign is ${state}.`, 'svc_update_campaign', input);
}
