-- Until when a person is away is remembered with their run: before, only the due time knew it, and whoever held such a run and let it go on
-- wrote to a person who was not there.
set local search_path = outrider, app, public;

do $$
declare
  before text := pg_get_functiondef('app.record_reply(bigint, text, uuid, bigint, text, bigint)'::regprocedure);
  after text;
begin
  after := replace(before, 'facts = r.facts || jsonb_build_object(''replied'', true,',
    'facts = case when p_class = ''out_of_office'' or p_at < (r.facts ->> ''lastReplyAt'')::bigint then r.facts else r.facts - ''awayUntil'' end
          || case when p_class = ''out_of_office'' and not (w.answered and w.stops) then jsonb_build_object(''awayUntil'', coalesce(p_resume_at, p_now + 604800000))
            else ''{}''::jsonb end
          || jsonb_build_object(''replied'', true,');
  if (select count(*) from regexp_matches(after, 'awayUntil', 'g')) <> 2 then raise exception 'app.record_reply does not read as expected'; end if;
  execute after;
end $$;
