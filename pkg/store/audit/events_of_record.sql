-- Returns the newest p_limit records of the audit log (their seq) of calls that were about p_record and that meet the
-- other filters, each where it is not null, for a transaction of the platform; nothing for others. It is a definer
-- function, since row-level security lets no index answer what an array contains. It ends with the page: a record that
-- every third call was about would otherwise bring its whole history along for each page.
create or replace function app.events_of_record(
  p_record text,
  p_workspace text,
  p_actor text,
  p_tool text,
  p_from bigint,
  p_to bigint,
  p_before bigint,
  p_limit integer
) returns setof bigint
  language sql stable security definer
  -- planner: by_size
  set search_path = outrider, app, pg_catalog
  as $$
    select e.seq
    from audit_event e
    where (select app.is_platform())
      and e.record_ids @> array[p_record]
      and (p_workspace is null or e.workspace_id = p_workspace)
      and (p_actor is null or e.actor_id = p_actor)
      and (p_tool is null or e.tool = p_tool)
      and (p_from is null or e.at >= p_from)
      and (p_to is null or e.at < p_to)
      and (p_before is null or e.seq < p_before)
    order by e.seq desc
    limit p_limit
  $$;

alter function app.events_of_record(text, text, text, text, bigint, bigint, bigint, integer) owner to outrider_definer;
revoke execute on function app.events_of_record(text, text, text, text, bigint, bigint, bigint, integer) from public;
grant execute on function app.events_of_record(text, text, text, text, bigint, bigint, bigint, integer) to outrider_app;
