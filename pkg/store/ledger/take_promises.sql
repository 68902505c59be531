-- Marks the promised moments of granted requests as acted at, and lets their accounts rest from them on. p_now: epoch
-- ms, product time. app.take_sends calls it, whose caller holds the accounts' rows of account_pacing.
create or replace function app.take_promises(p_now bigint, p_granted app.judged_send[]) returns void
  language plpgsql
  as $$
  #variable_conflict use_column
  begin
    if not exists (select 1 from unnest(p_granted) g where g.promised) then return; end if;
    with done as (
      -- A few seconds do not move the rest of the day.
      update account_slot s
      set
        acted = true,
        at = case when s.at < p_now - 5000 then p_now else s.at end,
        free_at = case when s.at < p_now - 5000 then s.free_at - s.at + p_now else s.free_at end
      from unnest(p_granted) g
      where s.run_id = g.run_id and not s.acted
      returning s.account_id, s.heavy, s.free_at
    )
    update account_pacing x
    set
      heavy_free_at = greatest(x.heavy_free_at, d.heavy_at),
      light_free_at = greatest(x.light_free_at, d.light_at)
    from (
      select
        account_id,
        coalesce(max(free_at) filter (where heavy), 0) as heavy_at,
        coalesce(max(free_at) filter (where not heavy), 0) as light_at
      from done
      group by 1
    ) d
    where x.account_id = d.account_id;
  end $$;

grant execute on function app.take_promises(bigint, app.judged_send[]) to outrider_definer;
