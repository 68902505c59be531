-- Returns a statement that gives rows of lead in the order of the search, newest first, below p_before (null: from
-- the newest), p_limit at most. Leads of the pool and of the workspace come from their index as they are; those of a
-- list, a score or a tag are looked up one by one.
create or replace function app.lead_rows(p_workspace text, p jsonb, p_before uuid, p_limit int) returns text
  language plpgsql immutable
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    part text := format(
      'select l.* from lead l where %%s and l.erased_at is null and l.id < %L::uuid order by l.id desc limit %s',
      coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
      p_limit
    );
    shared text := format(part, 'l.workspace_id is null');
    own text := format(part, format('l.workspace_id = %L and l.workspace_id is not null', p_workspace));
  begin
    if p ?| array['companyId', 'leadListId', 'tags', 'minScore'] then
      return format(
        'select l.* from (%s) w cross join lateral (select * from lead x where x.id = w.id offset 0) l',
        app.lead_walk(p_workspace, p, p_before, p_limit)
      );
    end if;
    return case p ->> 'visibility'
      when 'shared' then shared
      when 'private' then own
      else format('select * from ((%s) union all (%s)) u order by id desc limit %s', shared, own, p_limit)
    end;
  end $$;

revoke execute on function app.lead_rows(text, jsonb, uuid, int) from public;
grant execute on function app.lead_rows(text, jsonb, uuid, int) to outrider_definer;
