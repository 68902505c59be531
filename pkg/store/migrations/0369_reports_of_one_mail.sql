-- Several reports of one mail (a server that tells every few hours that it still tries) are one mail that came back: before, each counted,
-- so that one slow mail server barred an address for good, or paused a mailbox.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.record_mail_report(bigint, text, text, text, uuid, text, text, bigint)'::regprocedure);
  after := replace(before, 'select count(*) from mail_report m where', 'select count(distinct coalesce(m.send_id::text, m.external_id)) from mail_report m where');
  if after = before then raise exception 'app.record_mail_report does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.judge_mailbox(bigint, text)'::regprocedure);
  after := replace(before, 'select count(*) filter (where kind <> ''complaint'')::int, count(*) filter (where kind = ''complaint'')::int into',
    'select count(distinct coalesce(send_id::text, external_id)) filter (where kind <> ''complaint'')::int,
        count(distinct coalesce(send_id::text, external_id)) filter (where kind = ''complaint'')::int into');
  if after = before then raise exception 'app.judge_mailbox does not read as expected'; end if;
  execute after;
end $$;
