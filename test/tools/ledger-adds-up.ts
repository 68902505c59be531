/** A broken invariant. */
export interface Wrong {
  workspace_id: string;
  what: string;
}

/**
 * Invariants of the credit ledger; each row that comes back breaks one: every entry leaves the sums of those before it,
 * balances are their last entries, what is held is the live holds, each hold is the sum of its entries, and what a campaign has used is
 * its holds.
 */
export const INVARIANTS = `
  with effects as (
    select workspace_id, seq, balance_after, held_after,
      sum(case when kind in ('grant', 'adjust', 'refund', 'settle') then amount else 0 end) over (partition by workspace_id order by seq) as balance,
      sum(case when kind in ('hold', 'release', 'expire', 'settle') then amount else 0 end) over (partition by workspace_id order by seq) as held
    from credit_entry)
  select workspace_id, 'entry ' || seq || ' leaves ' || balance_after || '/' || held_after || ', its sums are ' || balance || '/' || held as what
    from effects where balance_after <> balance or held_after <> held
  union all
  select b.workspace_id, 'balance ' || b.balance || '/' || b.held || ' is not the last entry ' || coalesce(e.balance_after, 0) || '/' || coalesce(e.held_after, 0)
    from credit_balance b left join lateral (select * from credit_entry x where x.workspace_id = b.workspace_id order by seq desc limit 1) e on true
    where b.balance <> coalesce(e.balance_after, 0) or b.held <> coalesce(e.held_after, 0)
  union all
  select b.workspace_id, 'held ' || b.held || ' is not the sum of live holds' from credit_balance b
    where b.held <> (select coalesce(sum(h.amount), 0) from credit_hold h where h.workspace_id = b.workspace_id and h.state = 'held')
  union all
  select h.workspace_id, 'hold ' || h.id || ' (' || h.state || ') does not match its entries' from credit_hold h
    where h.settled - h.refunded <> (select coalesce(-sum(e.amount), 0) from credit_entry e where e.hold_id = h.id and e.kind in ('settle', 'refund'))
       or (case when h.state = 'held' then h.amount else 0 end)
          <> (select coalesce(sum(e.amount), 0) from credit_entry e where e.hold_id = h.id and e.kind in ('hold', 'release', 'expire', 'settle'))
  union all
  select coalesce(k.workspace_id, h.workspace_id), 'campaign ' || coalesce(k.campaign_id, h.campaign_id) || ' is said to have used ' || coalesce(k.used, 0) || ', not ' || coalesce(h.used, 0)
    from campaign_credit k full join (
      select c.workspace_id, c.campaign_id, sum(case c.state when 'held' then c.amount when 'settled' then c.settled - c.refunded else 0 end) as used
      from credit_hold c where c.campaign_id is not null group by 1, 2) h on h.campaign_id = k.campaign_id
    where coalesce(k.used, 0) <> coalesce(h.used, 0)`;

/** What does not add up, by the rows of the invariants; null: all is well. */
export function notAddingUp(wrong: readonly Wrong[]): string | null {
  if (wrong.length === 0) return null;
  return `the ledger does not add up: ${wrong.map((row) => `${row.workspace_id}: ${row.what}`).join('; ')}`;
}
