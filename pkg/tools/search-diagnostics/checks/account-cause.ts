import { iso } from '../../times.ts';
import type { Cause, CheckContext } from './check.ts';

interface Unable {
  id: string;
  kind: string;
  paused: boolean;
  /** Of a mailbox; null for an account of the network. */
  address: string | null;
  /** Why the mailbox paused itself; empty: it did not. */
  pause_reason: string | null;
  status: string;
  rehearsed: boolean;
  cooldown_until: number | null;
  /** Why it rests; empty: nobody knows more. */
  cooldown_reason: string;
}

/**
 * Why no account may act for leads of a workflow, and what ends it: that somebody paused it, that this is a rehearsal, what its
 * network says, or that none of the senders that the workflow names is linked any more. Null: one may act (again), and the
 * leads look again by themselves.
 * @param ids the accounts that the leads have; none: any sender of the workflow
 */
export async function accountCause(
  context: CheckContext,
  workflowId: string,
  ids: readonly string[],
): Promise<Cause | null> {
  const { tx, workspaceId, now } = context;
  const senders = await tx.row<{ named: number; linked: number; any: string | null }>(
    `select
       cardinality(w.network_account_ids) as named,
       (
         select min(a.id)
         from account_link k
         join network_account a on a.id = k.account_id
         where k.workspace_id = $1 and a.kind = 'network' and a.status = 'ok' and not a.paused
       ) as any,
       (
         select count(*)
         from account_link l
         where l.workspace_id = $1 and l.account_id = any (w.network_account_ids)
       )::int as linked
     from workflow w
     where w.id = $2`,
    [workspaceId, workflowId],
  );
  if (senders && senders.named > 0 && senders.linked === 0)
    return {
      text: 'wait because none of the accounts that the workflow names is linked to the workspace',
      tool: 'svc_update_workflow',
      input: { workflowId, ...(senders.any === null ? {} : { networkAccountIds: [senders.any] }) },
    };
  const first = await tx.row<Unable>(
    `select
       a.id,
       a.kind,
       a.paused or l.paused as paused,
       m.address,
       m.pause_reason,
       a.status,
       app.is_rehearsed(a.id) as rehearsed,
       a.cooldown_until,
       a.cooldown_reason
     from workflow w
     join account_link l on l.workspace_id = $1
     join network_account a on a.id = l.account_id
     left join mailbox m on m.account_id = a.id
     where w.id = $2
       and (a.paused or l.paused or a.status <> 'ok' or coalesce(a.cooldown_until, 0) > $4 or app.is_rehearsed(a.id))
       and case
         when a.kind = 'mail'
           then not exists (
               select 1
               from network_account b
               where b.kind = 'mail' and b.id = any (w.provider_account_ids)
             )
             or a.id = any (w.provider_account_ids)
         when cardinality($3::text[]) > 0 then a.id = any ($3::text[])
         else cardinality(w.network_account_ids) = 0 or a.id = any (w.network_account_ids)
       end
     order by a.kind = 'mail', a.paused or l.paused desc, a.status <> 'ok' desc, a.id limit 1`,
    [workspaceId, workflowId, ids, now],
  );
  if (first) return causeOf(first, { workspaceId, now });
  if (ids.length > 0 || (await hasAccounts(context))) return null;
  return {
    text: 'wait because no account is linked to the workspace',
    tool: 'svc_admin_link_account',
    input: { action: 'register', accountKind: 'network', workspaceId },
  };
}

async function hasAccounts({ tx, workspaceId }: CheckContext): Promise<boolean> {
  return (await tx.row('select 1 from account_link where workspace_id = $1 limit 1', [workspaceId])) !== undefined;
}

function causeOf(account: Unable, { workspaceId, now }: { workspaceId: string; now: number }): Cause {
  const { id, kind, paused, address, pause_reason: pauseReason, status, rehearsed, cooldown_until: until } = account;
  const health = { tool: 'svc_get_network_account_health', input: { networkAccountId: id } };
  if (paused && kind === 'network')
    return {
      text: `wait because account ${id} is paused`,
      tool: 'svc_update_network_account_settings',
      input: { networkAccountId: id, paused: false },
    };
  if (paused)
    return {
      text: `wait because mailbox ${id} is paused${pauseReason ? ` (${pauseReason})` : ''}: an operator resumes it by \`outrider mailbox connect ${address} --resume\``,
      ...health,
    };
  if (status !== 'ok') return { text: `wait because account ${id} is ${status}`, ...health };
  if (rehearsed)
    return {
      text: `wait because this installation is a rehearsal, in which real accounts as ${id} do not act: unlink it, and register one of the sandbox`,
      tool: 'svc_admin_link_account',
      input: { action: 'unlink', accountKind: 'network', accountId: id, workspaceId },
    };
  if (until !== null && until > now) {
    const what = kind === 'mail' ? 'mailbox' : 'account';
    const why = account.cooldown_reason ? `: ${account.cooldown_reason}` : '';
    return { text: `wait because ${what} ${id} rests until ${iso(until)}${why}`, ...health };
  }
  return { text: `wait because account ${id} can not act`, ...health };
}
