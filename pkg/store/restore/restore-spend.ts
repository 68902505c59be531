import type { Tx } from '../../postgres/database.ts';

/** A unit that an account spent before its restored budget was taken. */
export interface SpentUnit {
  accountId: string;
  /** Whose share it was of. */
  workspaceId: string;
  action: 'message' | 'inmail' | 'connection_request' | 'mail';
  /** A request that carried words has a budget of its own besides. */
  withNote: boolean;
  /** When it left, epoch ms. */
  at: number;
}

/**
 * The account spent a unit that its restored budget does not know: it counts on its own date, in the day's budget or in the
 * week's. What is spent already may be more than a limit; then nothing is left.
 * @param now product time, epoch ms
 */
export async function spendUnit(
  tx: Tx,
  { accountId, workspaceId, action, withNote, at }: SpentUnit,
  now: number,
): Promise<void> {
  const actions = withNote ? [action, `${action}_with_note`] : [action];
  await tx.exec(
    `insert into account_budget (account_id, action, head_date, limit_day, limit_week)
     select a.id, x.action, app.local_date($3, a.timezone), 0, 0
     from network_account a
     cross join unnest($2::text[]) x (action)
     where a.id = $1
     order by x.action
     on conflict do nothing`,
    [accountId, actions, now],
  );
  await tx.exec(
    `update account_budget b
     set
       head_date = r.head,
       used = r.used,
       limit_day = case when b.limit_day < 0 then b.limit_day else greatest(b.limit_day, r.used[1]) end,
       by_workspace = case
         when r.ago > 0 then r.shares
         else jsonb_set(r.shares, array[$5::text], to_jsonb(coalesce((r.shares ->> $5)::int, 0) + 1))
       end
     from (
       select
         o.account_id,
         o.action,
         d.head,
         d.ago,
         case when d.head > o.head_date then '{}'::jsonb else o.by_workspace end as shares,
         w.used[1:d.ago] || (w.used[d.ago + 1] + 1) || w.used[d.ago + 2:7] as used
       from account_budget o
       join network_account a on a.id = o.account_id
       cross join lateral (select greatest(o.head_date, app.local_date($3, a.timezone)) as head) h
       cross join lateral (select h.head, greatest(0, h.head - app.local_date($4, a.timezone)) as ago) d
       cross join lateral (select app.roll_window(o.used, o.head_date, d.head) as used) w
       where o.account_id = $1 and o.action = any ($2) and d.ago < 7
       order by o.action for update of o
     ) r
     where b.account_id = r.account_id and b.action = r.action`,
    [accountId, actions, now, at, workspaceId],
  );
}
