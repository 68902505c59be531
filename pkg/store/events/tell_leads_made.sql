-- Trigger after inserts into `lead`: tells each workspace of the leads that it got, a thousand at a time. Leads of the
-- pool are nobody's news.
create or replace function app.tell_leads_made() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    insert into run_event (workspace_id, at, kind, actor, data)
    select
      x.workspace_id, max(x.created_at), 'lead.created', 'system', jsonb_build_object('leadIds', jsonb_agg(x.id))
    from (
      select
        n.workspace_id, n.id, n.created_at,
        (row_number() over (partition by n.workspace_id order by n.id) - 1) / 1000 as chunk
      from new_rows n
      where n.workspace_id is not null
    ) x
    group by x.workspace_id, x.chunk;
    return null;
  end $$;

alter function app.tell_leads_made() owner to outrider_definer;
revoke execute on function app.tell_leads_made() from public;
