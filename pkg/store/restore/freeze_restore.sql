-- Stops every send until `outrider reconcile`, and keeps what the outside keepers of the epoch said (p_outside:
-- {keeper: {epoch, systemIdentifier, timeline} or null}, or `resources`: older resources). The first reason stays.
-- p_now: product time, epoch ms. Returns whether this call stopped them; false for callers other than the platform
-- and the owner.
create or replace function app.freeze_restore(p_now bigint, p_reason text, p_outside jsonb) returns boolean
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    if not (app.is_platform() or session_user = 'outrider_owner') then return false; end if;
    update restore_guard set outside = outside || p_outside;
    insert into send_freeze (id, scope, target, channel, reason, frozen_by, since)
    values (gen_random_uuid(), 'platform', 'restore', '', p_reason, 'outrider', p_now)
    on conflict (scope, target, channel) do nothing;
    return found;
  end $$;

alter function app.freeze_restore(bigint, text, jsonb) owner to outrider_definer;
revoke execute on function app.freeze_restore(bigint, text, jsonb) from public;
grant execute on function app.freeze_restore(bigint, text, jsonb) to outrider_app, outrider_owner;
