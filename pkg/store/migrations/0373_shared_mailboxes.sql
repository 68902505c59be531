-- A mailbox that several people read proves nobody: before, two profiles with one `info@` became one person, of whom the one got what
-- was meant for the other and ended the other's sequences. Such an address still names somebody of whom nothing better is known.
set local search_path = outrider, app, public;

-- Whether an address may be another spelling of its mailbox; most are none, and need one hash.
create function app.is_respelt(p_mail text) returns boolean language sql immutable as $$ select p_mail ~* '[+]|@g(oogle)?mail[.]com' $$;

create function app.mailbox_hashes(p_mail text) returns text[] language sql immutable as
  $$ select array(select distinct app.mail_hash(m) from unnest(array[p_mail, app.mail_identity(p_mail)]) m order by 1) $$;

create or replace function app.mail_hashes(p_mail text) returns text[] language sql immutable as
  $$ select case when p_mail is null then '{}' when app.is_respelt(p_mail) then app.mailbox_hashes(p_mail) else array[app.mail_hash(p_mail)] end $$;

-- Mailboxes that belong to a function. Twin: isRoleMail of the domain.
create function app.is_role_mail(p_mail text) returns boolean language sql immutable as
  $$ select lower(split_part(split_part(trim(p_mail), '@', 1), '+', 1)) = any (array[
      'info', 'office', 'sales', 'contact', 'kontakt', 'hello', 'hallo', 'support', 'admin', 'marketing', 'hr', 'jobs',
      'team', 'service', 'mail', 'post', 'webmaster', 'press', 'presse', 'billing', 'accounting', 'buchhaltung', 'invoice',
      'career', 'careers', 'help', 'noreply', 'no-reply', 'vertrieb', 'einkauf', 'empfang', 'reception', 'welcome', 'news',
      'newsletter']) $$;

-- Hashes of the address by which the person of a lead is known.
create function app.person_mails(p_mail text, p_profile text) returns text[] language sql immutable as
  $$ select case when p_profile is not null and app.is_role_mail(p_mail) then '{}' else app.mail_hashes(p_mail) end $$;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.resolve_persons(uuid[], bigint)'::regprocedure);
  after := replace(before, 'app.mail_hashes(x.email) as mails', 'app.person_mails(x.email, x.profile_id) as mails');
  after := replace(after, 'or (x.email is not null and not exists', 'or (x.email is not null and not (x.profile_id is not null and app.is_role_mail(x.email)) and not exists');
  after := replace(after, 'or (x.email is not null and not (x.profile_id is not null and app.is_role_mail(x.email)) and not exists (select 1 from person_alias a where a.kind = ''mail'' and a.value = app.mail_hash(app.mail_identity',
    'or (app.is_respelt(x.email) and not (x.profile_id is not null and app.is_role_mail(x.email)) and not exists (select 1 from person_alias a where a.kind = ''mail'' and a.value = app.mail_hash(app.mail_identity');
  if (select count(*) from regexp_matches(after, 'person_mails|is_role_mail|is_respelt', 'g')) <> 4 then raise exception 'app.resolve_persons does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.complete_leads(uuid[], bigint)'::regprocedure);
  after := replace(before, '|| app.mail_hashes(x.email)) i (value)', '|| app.person_mails(x.email, x.profile_id)) i (value)');
  after := replace(after, 'app.mail_hash(x.email) as mail, app.mail_hashes(x.email) as mails,',
    'case when not (x.profile_id is not null and app.is_role_mail(x.email)) then app.mail_hash(x.email) end as mail, app.mail_hashes(x.email) as mails,');
  if (select count(*) from regexp_matches(after, 'person_mails|is_role_mail', 'g')) <> 2 then raise exception 'app.complete_leads does not read as expected'; end if;
  execute after;
end $$;
