-- Returns where a node stands among the nodes of its graph (from 1), in the newest version that has it; null where
-- none has, or the caller may not use its workspace. It serves what a restored ledger lacks, whose texts are taken
-- for those of the first free node.
create or replace function app.node_position(p_workflow text, p_node text) returns bigint
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
    select x.ord
    from workflow_graph g
    cross join lateral jsonb_array_elements(g.graph -> 'nodes') with ordinality x (n, ord)
    where g.workflow_id = p_workflow and app.may_use(g.workspace_id) and n ->> 'nodeId' = p_node
    order by g.version desc limit 1
  $$;

alter function app.node_position(text, text) owner to outrider_definer;
revoke execute on function app.node_position(text, text) from public;
grant execute on function app.node_position(text, text) to outrider_app, outrider_owner;
