-- A lead that is enrolled in the other workflow at the moment of its hand-over is refused there, as one that was enrolled before: where no
-- contact claim stands between them (dedupeScope account) the hand-over failed, with its whole batch, and its executor began anew.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
  made text := E'        insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, person_id, graph_version, node_id, state, due_at, entered_at, account_id, facts, started_at)\n          values (r."newRunId", ws, f.id, f.campaign_id, r.lead_id, r.person_id, f.graph_version, '''', ''queued'', p_now, p_now, r.account_id, coalesce(r.facts, ''{}''), p_now);\n';
begin
  before := pg_get_functiondef('app.hand_off(bigint, jsonb)'::regprocedure);
  after := replace(before, made, '');
  -- Before the history of contacts goes over; a claim that changed hands for it goes back.
  after := replace(after, E'      if why is null then\n        insert into contact_log as g', E'      if why is null then\n' || replace(made, E', p_now);\n', E', p_now) on conflict do nothing;\n')
    || E'        if not found then\n          why := ''already_enrolled'';\n          update contact_claim c set run_id = r."runId" where c.person_id = r.person_id and c.run_id = r."newRunId";\n        end if;\n      end if;\n      if why is null then\n        insert into contact_log as g');
  if (select count(*) from regexp_matches(after, 'p_now\) on conflict do nothing|why := ''already_enrolled''', 'g')) <> 2
    or (select count(*) from regexp_matches(after, 'insert into run \(', 'g')) <> 1 then raise exception 'app.hand_off does not read as expected'; end if;
  execute after;
end $$;
