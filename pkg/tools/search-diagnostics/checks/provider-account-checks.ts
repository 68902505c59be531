import { notFound } from '../../errors.ts';
import { isPaused, requireAccount } from '../../network-accounts/account-row.ts';
import { iso } from '../../times.ts';
import { COMPARED, conditionChecks, guardOf, NOT_COMPARED, rehearsalCheck } from './account-checks.ts';
import { type Check, type CheckContext, fail, pass, waits } from './check.ts';
import { freezeCheck } from './freeze-check.ts';

/** Why a mailbox sends nothing, or a calendar is not read. */
export async function providerAccountChecks(context: CheckContext): Promise<Check[]> {
  const { tx, workspaceId, targetId } = context;
  const calendar = await tx.row<{ status: string }>(
    'select status from calendar_account where id = $1 and workspace_id = $2 and deleted_at is null',
    [targetId, workspaceId],
  );
  if (calendar) return [calendarCheck(calendar.status)];
  const box = await tx.row<{ address: string; reason: string }>(
    `select m.address, m.pause_reason as reason
     from mailbox m
     join account_link l on l.account_id = m.account_id and l.workspace_id = $2
     where m.account_id = $1`,
    [targetId, workspaceId],
  );
  if (!box) throw notFound('providerAccount', targetId);
  return mailboxChecks(context, box);
}

function calendarCheck(status: string): Check {
  return status === 'connected'
    ? pass('account_status', 'The calendar is connected.')
    : fail('account_status', `The calendar is ${status}: an operator connects it again.`, 'svc_submit_feedback');
}

async function mailboxChecks(
  context: CheckContext,
  { address, reason }: { address: string; reason: string },
): Promise<Check[]> {
  const { tx, workspaceId, targetId, now } = context;
  const account = await requireAccount(tx, targetId, ['mail']);
  const guard = await guardOf(tx, account.id);
  const health = ['svc_get_network_account_health', { networkAccountId: account.id }] as const;
  const why = reason === '' ? '' : ` (${reason})`;
  return [
    account.status === 'ok'
      ? pass('account_status', 'The mailbox lets us in.')
      : fail(
          'account_status',
          `The mailbox is ${account.status} since ${iso(account.status_since)}: an operator connects it again by \`outrider mailbox connect ${address}\`.`,
          ...health,
        ),
    isPaused(account)
      ? fail(
          'account_paused',
          `The mailbox is paused${why}: an operator resumes it by \`outrider mailbox connect ${address} --resume\`.`,
          ...health,
        )
      : pass('account_paused', 'The mailbox is not paused.'),
    await freezeCheck({ ...context, channels: ['', 'mail'] }, { accountId: account.id }),
    rehearsalCheck(account, guard, workspaceId),
    guard?.guarded === false ? waits('compared', NOT_COMPARED) : pass('compared', COMPARED),
    ...conditionChecks(account, now),
  ];
}
