-- Purges a part of a deleted workflow: the texts of p_most runs, 500 at most, by their ids (purged_to says how far it
-- came); with the last run the configs of its graphs. Node ids, types and labels stay, by which a re-creation knows
-- its nodes again. p_now: epoch ms UTC, product time. The caller (app.purge_deleted) has locked it.
create or replace function app.purge_workflow(p_workflow text, p_now bigint, p_most int) returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    f record;
    runs uuid[];
    few int := least(p_most, 500);
  begin
    select * into f from workflow where id = p_workflow;
    select array_agg(x.id order by x.id)
    into runs
    from (
      select r.id
      from run r
      where r.workspace_id = f.workspace_id
        and r.workflow_id = f.id
        and r.id > coalesce(f.purged_to, '00000000-0000-0000-0000-000000000000')
      order by r.id limit few
    ) x;
    update run r
    set facts = r.facts - app.wordy_facts()
    where r.id = any (runs) and r.facts ?| app.wordy_facts();
    update review_item i
    set body = '', original_body = '', subject = null, facts = '[]', reason = null
    where i.run_id = any (runs);
    perform app.forget_words(array(select s.id from send s where s.run_id = any (runs)));
    -- app.forget_settled forgets what a call under way brings, once it has come: nobody looks at these runs again.
    insert into erased_send (workspace_id, send_id)
    select k.workspace_id, k.id
    from node_call k
    where k.run_id = any (runs) and k.state <> 'settled'
    on conflict do nothing;
    update node_call k
    set result = '{}', error = null
    where k.run_id = any (runs) and k.state = 'settled';
    update run_event e set text = '' where e.run_id = any (runs) and e.text <> '';
    if cardinality(runs) = few then
      update workflow set purged_to = runs[few] where id = f.id;
      return;
    end if;
    update workflow_graph g
    set graph = jsonb_build_object(
      'edges', g.graph -> 'edges',
      'nodes', (
        select coalesce(jsonb_agg(n.node || '{"config": {}}' order by n.place), '[]')
        from jsonb_array_elements(g.graph -> 'nodes') with ordinality n (node, place)
      )
    )
    where g.workflow_id = f.id;
    update workflow
    set purged_at = p_now, purged_to = null, graph_problem = null
    where id = f.id;
  end $$;

alter function app.purge_workflow(text, bigint, int) owner to outrider_definer;
revoke execute on function app.purge_workflow(text, bigint, int) from public;
