-- Returns why a call may not be made now: send_freeze, suppressed, or null. Holds and stops of its workflow bind
-- every call. A call that leaves the product is also bound by freezes (of all channels or of webhook) and by restore
-- safety, and an outreach platform gets nobody who may not be contacted.
-- `p_outward` null: the call only asks. `until`: epoch ms when the stop ends or is worth another look, null when
-- nobody knows. `p_now`: epoch ms UTC, product time. The caller has checked that `p_workspace` is its own.
create or replace function app.call_stop(
  p_workspace text, p_campaign text, p_workflow text, p_run uuid, p_lead uuid, p_outward text, p_now bigint,
  OUT reason text, OUT until bigint
)
  returns record
  language plpgsql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare z record;
  begin
    if app.flow_stop(p_workspace, p_campaign, p_workflow) is not null
      or exists (select 1 from hold h where h.kind = 'run' and h.id = p_run::text)
    then
      reason := 'send_freeze';
      return;
    end if;
    if p_outward is null then return; end if;
    select s.until
    into z
    from send_freeze s
    where (s.scope = 'platform' or (s.scope = 'workspace' and s.target = p_workspace))
      and (s.until is null or s.until > p_now)
      and s.channel in ('', 'webhook')
    order by s.until desc nulls first limit 1;
    -- A run that is parked without an end is released when the freezes of sends are over; a freeze of another channel
    -- is looked at again.
    if found then
      reason := 'send_freeze';
      until := coalesce(z.until, p_now + 600000);
      return;
    end if;
    -- A restored database knows less than what was pushed: nothing leaves before this start of the server was
    -- compared.
    if exists (
      select 1
      from restore_guard g
      where g.checked_start is not null and g.checked_start <> pg_postmaster_start_time()
    ) then
      reason := 'send_freeze';
      until := p_now + 5000;
      return;
    end if;
    -- Another platform would contact them, so it gets nobody who may not be contacted.
    if p_outward = 'outreach'
      and exists (select 1 from app.suppressed_leads(p_workspace, p_campaign, array[p_lead], p_now))
    then
      reason := 'suppressed';
    end if;
  end $$;

alter function app.call_stop(text, text, text, uuid, uuid, text, bigint) owner to outrider_definer;
revoke execute on function app.call_stop(text, text, text, uuid, uuid, text, bigint) from public;
