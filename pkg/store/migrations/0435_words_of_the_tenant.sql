-- Whether a word bars a lead was asked with the words of all workspaces for each lead of each claim, dispatch, enrolment and import: beside 25,000
-- words of whoever, 200 leads took two seconds, and a workspace without a single word was as slow. Now only words that may apply are read (the
-- workspace's, those shared with it, the agency's, the platform's), once, and leads' texts are folded only where there are such words.
set local search_path = outrider, app, public;

create index suppression_word on outrider.suppression (workspace_id) where kind = 'keyword';
create index suppression_word_of_all on outrider.suppression (level) where kind = 'keyword' and level in ('platform', 'agency');

do $$
declare
  f regprocedure := 'app.suppressions_of(text, text, uuid[], bigint)'::regprocedure;
  before text := pg_get_functiondef(f);
  after text;
begin
  after := replace(before, 'used as materialized (', 'keywords as materialized (
      select s.id, '' '' || s.value || '' '' as word from suppression s where s.kind = ''keyword'' and s.level in (''platform'', ''agency'') and s.value <> ''''
      union all select s.id, '' '' || s.value || '' '' from w cross join unnest(array_append(w.sharing, w.id)) o (id)
        cross join lateral (select x.id, x.value, x.level from suppression x where x.kind = ''keyword'' and x.workspace_id = o.id offset 0) s
        where s.level not in (''platform'', ''agency'') and s.value <> ''''),
    used as materialized (');
  after := replace(after, 'exists (select 1 from suppression where kind = ''keyword'') as keyword', 'exists (select 1 from keywords) as keyword');
  after := replace(after, 'select l.id, s.id from l join suppression s on s.kind = ''keyword'' and s.value <> '''' and position('' '' || s.value || '' '' in l.words) > 0',
    'select l.id, k.id from l join keywords k on position(k.word in l.words) > 0');
  if (select count(*) from regexp_matches(after, 'keywords as materialized|exists \(select 1 from keywords\)|join keywords k', 'g')) <> 3 then
    raise exception 'app.suppressions_of does not read as expected';
  end if;
  execute after;
end $$;
-- As its callers in the ledger have it: who is barred is found by index, whatever the statistics say.
alter function app.suppressions_of(text, text, uuid[], bigint) set enable_seqscan = off;
