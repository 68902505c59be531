-- Returns a graph without the configs of its nodes. Node ids, types and labels stay, by which a re-creation knows its
-- nodes again, and the edges.
create or replace function app.graph_without_configs(p_graph jsonb) returns jsonb
  language sql immutable
  as $$
    select jsonb_build_object(
      'edges', p_graph -> 'edges',
      'nodes', (
        select coalesce(jsonb_agg(n.node || '{"config": {}}' order by n.place), '[]')
        from jsonb_array_elements(p_graph -> 'nodes') with ordinality n (node, place)
      )
    )
  $$;

revoke execute on function app.graph_without_configs(jsonb) from public;
grant execute on function app.graph_without_configs(jsonb) to outrider_definer;
