-- A mailbox is one person's under whatever tag (`anna+crm@`), and with or without dots where the provider ignores them, as imports and
-- erasures know it: before, somebody who had unsubscribed or was under contact was a new person under another spelling of the address.
set local search_path = outrider, app, public;

-- Hashes under which an address is known: as it is written, and as its mailbox.
create function app.mail_hashes(p_mail text) returns text[] language sql immutable as
  $$ select array(select distinct app.mail_hash(m) from unnest(array[p_mail, app.mail_identity(p_mail)]) m where m is not null order by 1) $$;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.resolve_persons(uuid[], bigint)'::regprocedure);
  after := replace(before, 'case when x.email is not null then app.mail_hash(x.email) end as mail', 'app.mail_hashes(x.email) as mails');
  after := replace(after, 'a.value = app.mail_hash(x.email) and a.person_id = x.person_id))',
    'a.value = app.mail_hash(x.email) and a.person_id = x.person_id))
          or (x.email is not null and not exists (select 1 from person_alias a where a.kind = ''mail'' and a.value = app.mail_hash(app.mail_identity(x.email)) and a.person_id = x.person_id))');
  after := replace(after, 'if l.mail is not null then perform pg_advisory_xact_lock(hashtextextended(''person:'' || l.mail, 0)); end if;',
    'perform pg_advisory_xact_lock(hashtextextended(''person:'' || m, 0)) from unnest(l.mails) m;');
  after := replace(after, 'a.value = l.mail)', 'a.value = any (l.mails))');
  after := replace(after, 'if l.mail is not null then insert into person_alias values (''mail'', l.mail, target) on conflict do nothing; end if;',
    'insert into person_alias select ''mail'', m, target from unnest(l.mails) m on conflict do nothing;');
  if after ~ 'l\.mail\M' or (select count(*) from regexp_matches(after, 'mails|mail_identity', 'g')) <> 5 then raise exception 'app.resolve_persons does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.complete_leads(uuid[], bigint)'::regprocedure);
  after := replace(before, '(values (x.profile_id), (app.mail_hash(x.email))) i (value)', 'unnest(array[x.profile_id] || app.mail_hashes(x.email)) i (value)');
  after := replace(after, 'app.mail_hash(x.email) as mail, x.erased_at', 'app.mail_hash(x.email) as mail, app.mail_hashes(x.email) as mails, x.erased_at');
  -- Another spelling of a mailbox is judged one by one, after those in the usual one.
  after := replace(after, '(c.mail is null or c.same_mail = 1)', '(c.mail is null or c.same_mail = 1 and cardinality(c.mails) = 1)');
  if (select count(*) from regexp_matches(after, 'mail_hashes|c\.mails', 'g')) <> 3 then raise exception 'app.complete_leads does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.suppressions_of(text, text, uuid[], bigint)'::regprocedure);
  after := replace(before, 'exists (select 1 from suppression where kind = ''keyword'') as keyword',
    'exists (select 1 from suppression where kind = ''keyword'') as keyword, exists (select 1 from suppression where kind = ''mail'') as mail');
  after := replace(after, 'lower(x.email) as mail,',
    'case when used.mail and x.email is not null then array[lower(x.email), app.mail_identity(x.email)] || app.mail_hashes(x.email) end as mails,');
  after := replace(after, 's.value in (l.mail, app.mail_hash(l.mail))', 's.value = any (l.mails)');
  if after ~ 'l\.mail\M' or (select count(*) from regexp_matches(after, 'as mails?|l\.mails', 'g')) <> 3 then raise exception 'app.suppressions_of does not read as expected'; end if;
  execute after;
end $$;
