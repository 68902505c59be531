-- Purges a part of a deleted workflow by the marks (app.column_marks): the words of p_most runs, 500 at most, by their
-- ids (purged_to says how far it came); with the last run its name and the configs of its graphs. Node ids, types and
-- labels stay, by which a re-creation knows its nodes again. p_now: epoch ms UTC, product time. The caller
-- (app.purge_deleted) has locked it.
create or replace function app.purge_workflow(p_workflow text, p_now bigint, p_most int) returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    f record;
    runs uuid[];
    few int := least(p_most, 500);
    m record;
    subject app.erasure_subject;
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
    -- app.forget_settled forgets what a call under way brings, once it has come: nobody looks at these runs again.
    insert into erased_send (workspace_id, send_id)
    select k.workspace_id, k.id
    from node_call k
    where k.run_id = any (runs) and k.state <> 'settled'
    on conflict do nothing;
    subject.runs := runs;
    subject.sends := array(select x.id from send x where x.run_id = any (runs));
    for m in select c.table_name from app.column_marks() c where c.person ~ 'runs|t.id .*sends' loop
      perform app.erase_words(subject, m.table_name, false);
    end loop;
    if cardinality(runs) = few then
      update workflow set purged_to = runs[few] where id = f.id;
      return;
    end if;
    perform app.erase_rows(
      'outrider.workflow_graph', format('t.workflow_id = %L', p_workflow), 'empty', subject, false, null
    );
    perform app.erase_rows('outrider.workflow', format('t.id = %L', p_workflow), 'empty', subject, false, null);
    update workflow
    set purged_at = p_now, purged_to = null
    where id = f.id;
  end $$;

alter function app.purge_workflow(text, bigint, int) owner to outrider_definer;
revoke execute on function app.purge_workflow(text, bigint, int) from public;
