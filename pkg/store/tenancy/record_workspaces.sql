-- Returns the workspaces of the records that a call names, in order, each once. It serves limits, before anything is
-- known of the caller's right to them; the caller learns nothing from it.
-- p_table: the record's name in snake case, which is its table's (an import is a lead_import). Empty for a table that
-- is not there or has no id or workspace, and for ids of another form.
create or replace function app.record_workspaces(p_table text, p_ids text[]) returns text[]
  language plpgsql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    found_table regclass;
    id_type regtype;
    found_workspaces text[];
  begin
    if p_table = 'import' then p_table := 'lead_import'; end if;
    found_table := to_regclass('outrider.' || quote_ident(p_table));
    if not exists (
      select 1
      from pg_attribute a
      where a.attrelid = found_table and a.attname = 'workspace_id' and not a.attisdropped
    ) then
      return '{}';
    end if;
    select a.atttypid
    into id_type
    from pg_attribute a
    where a.attrelid = found_table and a.attname = 'id' and not a.attisdropped;
    if id_type is null then return '{}'; end if;
    if id_type = 'uuid'::regtype then
      p_ids := array(
        select app.key_id(lower(i))::text
        from unnest(p_ids) i
        where app.key_id(lower(i)) is not null
      );
    end if;
    execute format(
      $asked$
        select array_agg(distinct workspace_id order by workspace_id)
        from %s
        where id = any ($1::%s[]) and workspace_id is not null
      $asked$,
      found_table,
      id_type
    ) into found_workspaces using p_ids;
    return coalesce(found_workspaces, '{}');
  end $$;

alter function app.record_workspaces(text, text[]) owner to outrider_definer;
revoke execute on function app.record_workspaces(text, text[]) from public;
grant execute on function app.record_workspaces(text, text[]) to outrider_app;
