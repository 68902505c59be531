-- Deleted content goes when its time is over although an outcome stayed open that nobody will decide about any more: one that
-- counts as maybe, one whose dead letter a person discarded, and in a deleted workspace, which no executor works for, one without
-- a dead letter. Each kept the texts of its whole workflow for good.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.purge_deleted(bigint, int)'::regprocedure);
  after := replace(before, 's.state in (''claimed'', ''dispatched'', ''unknown''))',
    's.state in (''claimed'', ''dispatched'', ''unknown'')
          and not s.maybe and s.dead_letter_state is distinct from ''discarded'' and (w.deleted_at is null or s.dead_letter_state = ''open''))');
  if after = before then raise exception 'app.purge_deleted does not read as expected'; end if;
  execute after;
end $$;
