-- Says whether a record is there and neither deleted, revoked nor erased: only then may an answer that names it be
-- given again. p_record: its name in snake case, which is its table's (an import is a lead_import). Null for a table
-- that is not there or has no id, and for an id of another form.
create or replace function app.is_there(p_record text, p_id text) returns boolean
  language plpgsql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    found_table regclass;
    id_type regtype;
    ended text;
    there boolean;
  begin
    if p_record = 'import' then p_record := 'lead_import'; end if;
    found_table := to_regclass('outrider.' || quote_ident(p_record));
    select a.atttypid
    into id_type
    from pg_attribute a
    where a.attrelid = found_table and a.attname = 'id' and not a.attisdropped;
    if id_type is null then return null; end if;
    if id_type = 'uuid'::regtype then
      p_id := app.key_id(lower(p_id))::text;
      if p_id is null then return null; end if;
    end if;
    select coalesce(string_agg(format(' and %I is null', a.attname), ''), '')
    into ended
    from pg_attribute a
    where a.attrelid = found_table
      and a.attname in ('deleted_at', 'revoked_at', 'erased_at')
      and not a.attisdropped;
    execute format('select exists (select 1 from %s where id = $1::%s%s)', found_table, id_type, ended)
      into there using p_id;
    return there;
  end $$;

alter function app.is_there(text, text) owner to outrider_definer;
revoke execute on function app.is_there(text, text) from public;
grant execute on function app.is_there(text, text) to outrider_app;
