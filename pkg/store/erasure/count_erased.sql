-- Counts rows of a table that the purge of a workspace erased (workspace.deletion: erased), for its certificate.
create or replace function app.count_erased(p_workspace text, p_table text, p_rows int) returns void
  language sql security definer
  set search_path = outrider, app, pg_catalog, pg_temp
  as $$
    update workspace w
    set deletion = coalesce(w.deletion, '{}') || jsonb_build_object(
      'erased',
      coalesce(w.deletion -> 'erased', '{}')
        || jsonb_build_object(p_table, coalesce((w.deletion -> 'erased' ->> p_table)::bigint, 0) + p_rows)
    )
    where w.id = p_workspace
  $$;

alter function app.count_erased(text, text, int) owner to outrider_definer;
revoke execute on function app.count_erased(text, text, int) from public;
