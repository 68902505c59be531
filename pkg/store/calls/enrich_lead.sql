-- As app.fill_lead, in the workspace of the lease: executors of the version before call it. OU001: the lease is stale.
create or replace function app.enrich_lead(p_lead uuid, p_found jsonb, p_source text, p_now bigint)
  returns text[]
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare ws text := app.workspace();
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    return app.fill_lead(ws, p_lead, p_found, p_source, null, p_now);
  end $$;

alter function app.enrich_lead(uuid, jsonb, text, bigint) owner to outrider_definer;
revoke execute on function app.enrich_lead(uuid, jsonb, text, bigint) from public;
grant execute on function app.enrich_lead(uuid, jsonb, text, bigint) to outrider_executor;
