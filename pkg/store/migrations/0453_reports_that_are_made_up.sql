-- Anybody may write a report into a mailbox. One that names our mail says something of the address that this mail went to, whatever
-- other it names: before, whoever had got one mail could bar any address in all workspaces of the mailbox (and where an alias is
-- forwarded, the address behind it was barred instead of the one that we write to). And reports of an address that name no mail count
-- once for the mailbox: before, two of them paused it.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.record_mail_report(bigint, text, text, text, uuid, text, text, bigint)'::regprocedure);
  after := replace(before, 'p_address := coalesce(p_address, s.target ->> ''to'');', 'p_address := coalesce(s.target ->> ''to'', p_address);');
  if after = before then raise exception 'app.record_mail_report does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.judge_mailbox(bigint, text)'::regprocedure);
  after := replace(before, 'coalesce(send_id::text, external_id)', 'coalesce(send_id::text, address)');
  if after = before then raise exception 'app.judge_mailbox does not read as expected'; end if;
  execute after;
end $$;
