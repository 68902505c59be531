-- An answer that comes when the sequence is over counts in the last one that reached the person: most sequences end with a message, and the
-- answers to it were in no funnel, in no split and in nobody's record, and left the colleagues of who answered where they were.
set local search_path = outrider, app, public;

do $$
declare
  before text := pg_get_functiondef('app.record_reply(bigint, text, uuid, bigint, text, bigint)'::regprocedure);
  after text;
begin
  after := replace(before, '    runs uuid[];
', '    runs uuid[];
    late uuid[];
');
  after := replace(after, '      order by r.id for no key update) x;
    insert into lead_overlay', '      order by r.id for no key update) x;
    -- Of workspaces where nothing is under way: the last sequence that reached the person, which stays as it ended.
    select array_agg(x.id) into late from (
      select r.id from run r where r.id in (
          select distinct on (e.workspace_id) e.id
          from account_link k cross join lead l join run e on e.workspace_id = k.workspace_id and e.lead_id = l.id
          where k.account_id = p_account and l.person_id = p_person and l.erased_at is null and e.started_at <= p_at and (e.facts ? ''lastTouchAt'' or e.facts ? ''requestedAt'')
            and not exists (select 1 from run o where o.person_id = p_person and o.workspace_id = k.workspace_id and o.ended_at is null and o.started_at <= p_at)
          order by e.workspace_id, e.started_at desc, e.id desc)
        and r.ended_at is not null and r.state <> ''suppressed''
        and (coalesce((r.facts ->> ''lastReplyAt'')::bigint, 0) < p_at or p_class <> ''out_of_office'' and (r.facts ->> ''replyClass'') = ''out_of_office'')
      order by r.id for no key update) x;
    insert into lead_overlay');
  after := replace(after, 'r.lead_id, p_at from run r where r.id = any (runs)', 'r.lead_id, p_at from run r where r.id = any (runs || late)');
  after := replace(after, '    if runs is null then return 0; end if;
', '    if runs is null and late is null then return 0; end if;
    update run r set facts = r.facts || jsonb_build_object(''replied'', true, ''lastReplyAt'', greatest(p_at, (r.facts ->> ''lastReplyAt'')::bigint))
        || case when p_class = ''out_of_office'' and coalesce(r.facts ->> ''replyClass'', p_class) <> p_class then ''{}''::jsonb
          else jsonb_build_object(''replyClass'', p_class, ''replyChannel'', channel) end
      where r.id = any (late);
');
  after := replace(after, 'p_account) from run r where r.id = any (runs);', 'p_account) from run r where r.id = any (runs || late);');
  after := replace(after, 'where u.id = any (runs) and (c.settings', 'where u.id = any (runs || late) and (c.settings');
  after := replace(after, 'not r.id = any (runs);', 'not r.id = any (coalesce(runs, ''{}''));');
  after := replace(after, 'return cardinality(runs);', 'return coalesce(cardinality(runs), 0);');
  if (select count(*) from regexp_matches(after, 'runs \|\| late', 'g')) <> 4 or (select count(*) from regexp_matches(after, 'coalesce\(runs, |coalesce\(cardinality|runs is null and late|any \(late\)|into late', 'g')) <> 5 then
    raise exception 'app.record_reply does not read as expected';
  end if;
  execute after;
end $$;
