-- Trigger of network_account: notes incidents for the account's health (those of the last 90 days) and, once a
-- restricted account is ok again by whatever way, lets its ramp-up begin again at half (catalog:
-- stateMachines.networkAccount). The account is then as far as on the day on which it would have come to half, and
-- goes on from there.
create or replace function app.on_account_change() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    kind text;
    happened_at bigint;
  begin
    kind := case
      when new.status <> old.status and new.status = 'restricted' then 'restricted'
      when new.status <> old.status and new.status in ('checkpoint', 'credentials_expired', 'disconnected')
        then 'session_lost'
      when coalesce(new.cooldown_until, 0) > coalesce(old.cooldown_until, 0) then 'limit_signal'
    end;
    if kind is not null then
      happened_at := case kind when 'limit_signal' then new.cooldown_until else new.status_since end;
      insert into account_incident (account_id, at, kind)
      values (new.id, happened_at, kind)
      on conflict do nothing;
      delete from account_incident i
      where i.account_id = new.id and i.at < happened_at - 90 * 86400000::bigint;
    end if;
    if new.status <> 'ok' then
      new.ramp_again := new.ramp_again or old.status = 'restricted';
    elsif old.status = 'restricted' or new.ramp_again then
      new.ramp_again := false;
      new.ramp_enabled := true;
      if new.first_send_at is not null then
        new.first_send_at := new.status_since - case
          when new.ramp_start_share >= 0.5 then 0
          else floor(new.ramp_days * (0.5 - new.ramp_start_share) / (1 - new.ramp_start_share)) * 86400000
        end::bigint;
      end if;
    end if;
    return new;
  end $$;

alter function app.on_account_change() owner to outrider_definer;
revoke execute on function app.on_account_change() from public;
grant execute on function app.on_account_change() to outrider_app, outrider_executor, outrider_owner;
