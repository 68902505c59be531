-- Trigger after inserts into `lead`: tells each workspace of the leads that it got, a thousand at a time. Leads of the
-- pool are nobody's news.
create or replace function app.tell_leads_made() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    insert into run_event (workspace_id, at, kind, actor, data)
    select x.workspace_id, x.at, 'lead.created', 'system', jsonb_build_object('leadIds', t.part)
    from (
      select n.workspace_id, max(n.created_at) as at, array_agg(n.id order by n.id) as ids
      from new_rows n
      where n.workspace_id is not null
      group by 1
    ) x
    cross join lateral app.thousands(x.ids) as t (part);
    return null;
  end $$;

alter function app.tell_leads_made() owner to outrider_definer;
revoke execute on function app.tell_leads_made() from public;
