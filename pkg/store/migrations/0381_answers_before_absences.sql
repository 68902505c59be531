-- An answer of a person counts, whatever a machine says after it. A notice of absence that came behind an answer took its place: who had written
-- "not interested" before their mailbox said that they are away was written to again when they were back, where both became known together, or
-- while their run was held or parked. And an answer that became known after a later notice (another account, another channel) changed nothing.
set local search_path = outrider, app, public;

do $$
declare
  before text := pg_get_functiondef('app.record_reply(bigint, text, uuid, bigint, text, bigint)'::regprocedure);
  after text;
begin
  after := replace(before, 'and coalesce((r.facts ->> ''lastReplyAt'')::bigint, 0) < p_at
        and', 'and (coalesce((r.facts ->> ''lastReplyAt'')::bigint, 0) < p_at or p_class <> ''out_of_office'' and (r.facts ->> ''replyClass'') = ''out_of_office'')
        and');
  after := replace(after, 'facts = r.facts || jsonb_build_object(''replied'', true, ''replyClass'', p_class, ''lastReplyAt'', p_at, ''replyChannel'', channel)',
    'facts = r.facts || jsonb_build_object(''replied'', true, ''lastReplyAt'', greatest(p_at, (r.facts ->> ''lastReplyAt'')::bigint))
          || case when w.answered then ''{}''::jsonb else jsonb_build_object(''replyClass'', p_class, ''replyChannel'', channel) end');
  after := replace(after, 'when r.state = ''paused'' then r.state else', 'when r.state = ''paused'' or w.answered and w.stops then r.state else');
  after := replace(after, 'wait_reason = case when r.state', 'wait_reason = case when w.answered and w.stops then r.wait_reason when r.state');
  after := replace(after, 'when r.state = ''paused'' then r.due_at when', 'when r.state = ''paused'' or w.answered and w.stops then r.due_at when');
  after := replace(after, 'send_id = case when r.send_id = any (sends) then null else r.send_id end
      where r.id = any (runs);', 'send_id = case when r.send_id = any (sends) then null else r.send_id end
      -- answered: a person has, and this is only a notice of absence; stops: answers end the run, which nothing of that changes.
      from (select k.id, p_class = ''out_of_office'' and coalesce(k.facts ->> ''replyClass'', ''out_of_office'') <> ''out_of_office'' as answered,
          coalesce((c.settings -> ''contactPolicy'' ->> ''stopOnReply'')::boolean, true) as stops
        from run k join campaign c on c.id = k.campaign_id where k.id = any (runs)) w
      where r.id = w.id;');
  if (select count(*) from regexp_matches(after, 'w\.answered', 'g')) <> 4 or (select count(*) from regexp_matches(after, 'r\.facts ->> ''replyClass''', 'g')) <> 1
      or (select count(*) from regexp_matches(after, 'as answered', 'g')) <> 1 then
    raise exception 'app.record_reply does not read as expected';
  end if;
  execute after;
end $$;
