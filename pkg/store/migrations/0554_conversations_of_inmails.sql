-- A message goes into the conversation of two people who are connected, not into the one that an InMail opened: the network takes nothing more
-- there before the InMail is answered, and a workflow that went on from an InMail to a request and a message lost the message of who had accepted.
set local search_path = outrider, app, public;

alter table outrider.conversation add column in_mail boolean not null default false;

do $$
declare
  before text := pg_get_functiondef('app.relations_of(uuid[])'::regprocedure);
  after text := replace(before, 'where x.person_id = r.person_id and x.account_id = r.account_id', 'where x.person_id = r.person_id and x.account_id = r.account_id and not x.in_mail');
begin
  if after = before then raise exception 'app.relations_of does not read as expected'; end if;
  execute after;
end $$;
