-- Before a message the conversation is looked at, unless account sync read it minutes ago. That is known only of a round that read all
-- conversations: before, each round counted, also one that had no time for all of them, or could not look, and a message left to who
-- had answered.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.relations_of(uuid[])'::regprocedure);
  after := replace(before, 'select w.last_synced_at from account_wake w', 'select (w.sync_state ->> ''chatsReadAt'')::bigint from account_wake w');
  if after = before then raise exception 'app.relations_of does not read as expected'; end if;
  execute after;
end $$;
