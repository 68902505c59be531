-- Returns the key under which certificates are signed (DER: PKCS #8 and SPKI): the one that there is, else the one
-- that is given, which becomes it. Null where there is neither, and unless the caller is the platform.
create or replace function app.signing_key_of(
  p_private bytea, p_public bytea, out private_key bytea, out public_key bytea
)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog, pg_temp
  as $$
  begin
    if not app.is_platform() then return; end if;
    if p_private is not null then
      insert into signing_key (private_key, public_key) values (p_private, p_public) on conflict do nothing;
    end if;
    select k.private_key, k.public_key into private_key, public_key from signing_key k;
  end $$;

alter function app.signing_key_of(bytea, bytea) owner to outrider_definer;
revoke execute on function app.signing_key_of(bytea, bytea) from public;
grant execute on function app.signing_key_of(bytea, bytea) to outrider_app;
