-- Returns the last answer of a person in a workspace: its class (enums.replyClass), and when it came (epoch ms, product
-- time). No row where they never answered. By the person, whom leads of the pool have too.
-- It reads the runs of the person first and keeps those of the workspace then: on a table that was never analyzed
-- Postgres would read all runs of the workspace for each person.
create or replace function app.last_answer(p_workspace text, p_person uuid)
  returns table (class text, at bigint)
  language sql stable rows 1
  as $$
    select r.facts ->> 'replyClass', (r.facts ->> 'lastReplyAt')::bigint
    from (select x.workspace_id, x.facts from run x where x.person_id = p_person offset 0) r
    where r.workspace_id = p_workspace and app.has_replied(r.facts)
    order by 2 desc nulls last
    limit 1
  $$;

grant execute on function app.last_answer(text, uuid) to outrider_definer;
