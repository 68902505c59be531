-- Grants limits.monthlyCredits of a workspace, once per month (UTC); what is left over of earlier months stays.
-- p_workspace: null for all, which is for the platform only. p_now: epoch ms UTC, product time, which says the month.
-- For an executor the database's clock says it, unless this is a rehearsal: its word would grant it any month's
-- credits. Returns the credits that it granted, 0 where the caller may not. Locks: balances by workspace.
create or replace function app.grant_monthly_credits(p_workspace text, p_now bigint) returns bigint
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    month text := to_char(
      case
        when session_user = 'outrider_executor' and not exists (select 1 from installation i where i.rehearsal)
          then clock_timestamp()
        else to_timestamp(p_now / 1000.0)
      end at time zone 'UTC',
      'YYYY-MM'
    );
    w record;
    granted bigint := 0;
  begin
    if not (app.is_platform() or (p_workspace is not null and app.may_use(p_workspace))) then
      return 0;
    end if;
    for w in
      select s.id, (s.limits ->> 'monthlyCredits')::bigint as credits
      from workspace s
      where s.deleted_at is null
        and coalesce((s.limits ->> 'monthlyCredits')::bigint, 0) > 0
        and (p_workspace is null or s.id = p_workspace)
        and not exists (
          select 1
          from credit_entry e
          where e.workspace_id = s.id and e.idempotency_key = 'monthly:' || month
        )
      order by s.id
    loop
      perform app.lock_balance(w.id);
      continue when exists (
        select 1
        from credit_entry e
        where e.workspace_id = w.id and e.idempotency_key = 'monthly:' || month
      );
      perform app.post_credits(
        w.id, 'grant', w.credits, 'monthly:' || month, p_now, null, null, null, null, null, null,
        'credits of ' || month
      );
      granted := granted + w.credits;
    end loop;
    return granted;
  end $$;

alter function app.grant_monthly_credits(text, bigint) owner to outrider_definer;
revoke execute on function app.grant_monthly_credits(text, bigint) from public;
grant execute on function app.grant_monthly_credits(text, bigint) to outrider_app, outrider_executor;
