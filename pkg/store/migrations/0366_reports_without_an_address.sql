-- A report that names our mail but not whom it was for (many complaints hide the address) is one about whom that mail was for, and a
-- complaint that names the address but not our mail is one of whoever was written to there from this mailbox. Before, both were
-- passed over: who had complained was written to again, and what came back so barred no address.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.record_mail_report(bigint, text, text, text, uuid, text, text, bigint)'::regprocedure);
  after := replace(before, E'    insert into mail_report',
    E'    select * into s from send where id = p_send and account_id = p_account;\n    p_address := coalesce(p_address, s.target ->> ''to'');\n    if p_address is null then return false; end if;\n    insert into mail_report');
  after := replace(after, E'    if not found then return false; end if;\n    select * into s from send where id = p_send and account_id = p_account;\n',
    E'    if not found then return false; end if;\n');
  after := replace(after,
    'if s.id is not null then perform app.opt_out(p_now, s.workspace_id, s.person_id, ''complaint'', ''complaint''); end if;',
    'perform app.opt_out(p_now, o.workspace_id, o.person_id, ''complaint'', ''complaint'') from (
          select distinct x.workspace_id, x.person_id from send x where x.account_id = p_account and x.action = ''mail'' and x.dispatched_at is not null
            and (x.id = s.id or (s.id is null and lower(x.target ->> ''to'') = lower(p_address))) order by 1, 2) o;');
  if (select count(*) from regexp_matches(after, 'select \* into s from send|coalesce\(p_address|x\.id = s\.id', 'g')) <> 3
    then raise exception 'app.record_mail_report does not read as expected'; end if;
  execute after;
end $$;
