-- Keeps that the platform erased a person: no workspace may enter or contact them again. The names stay as salted
-- hashes (workspace_id ''), which name the certificate; persons that are known get an exclusion of the platform.
-- p_identities: mail:<address>, profile:<id>, name:<key>, as identitiesOf makes them; p_now: epoch ms UTC, product
-- time.
-- Does nothing unless the caller is the platform.
create or replace function app.bar_erased(p_identities text[], p_persons uuid[], p_certificate uuid, p_now bigint)
  returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog, pg_temp
  as $$
  begin
    if not app.is_platform() then return; end if;
    perform app.bar_erased_in('', p_identities, p_certificate, p_now);
    insert into suppression (
      id, workspace_id, level, kind, value, person_id, source, reason, removable, created_by, created_at
    )
    select gen_random_uuid(), null, 'platform', 'person', p::text, p, 'erasure', 'erased', false, 'erasure', p_now
    from unnest(p_persons) p
    where not exists (
      select 1
      from suppression x
      where x.person_id = p and x.level = 'platform' and x.source = 'erasure'
    );
  end $$;

alter function app.bar_erased(text[], uuid[], uuid, bigint) owner to outrider_definer;
revoke execute on function app.bar_erased(text[], uuid[], uuid, bigint) from public;
grant execute on function app.bar_erased(text[], uuid[], uuid, bigint) to outrider_app;
