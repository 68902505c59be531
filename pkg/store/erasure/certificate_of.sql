-- Returns the certificate that the platform keeps with one of these identities (as app.bar_erased keeps them), the
-- newest; null when there is none, and unless the caller is the platform. What a workspace's record wrote beside a name
-- of somebody (app.bar_erased_in) finds none: a certificate belongs to the subject who was erased.
create or replace function app.certificate_of(p_identities text[]) returns uuid
  language sql stable security definer
  set search_path = outrider, app, pg_catalog, pg_temp
  as $$
    select c.id
    from erasure_tombstone t
    join certificate c on c.id = t.certificate_id
    where app.is_platform()
      and t.workspace_id = ''
      and t.hash in (select app.erasure_hash('', i) from unnest(p_identities) i)
    order by c.made_at desc, c.id limit 1
  $$;

alter function app.certificate_of(text[]) owner to outrider_definer;
revoke execute on function app.certificate_of(text[]) from public;
grant execute on function app.certificate_of(text[]) to outrider_app;
