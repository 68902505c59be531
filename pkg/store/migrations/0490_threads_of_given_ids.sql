-- A mailbox of Microsoft (and other servers) gives every mail another Message-ID: whoever answers names that one. Before, an answer from another
-- address than was written to belonged to nobody, and the sequence went on. A mailbox is known in whatever spelling, and a subject
-- without what programs put before it in other languages, on both sides. The prefixes are those of plainSubject of the domain.
set local search_path = outrider, app, public;

create function app.plain_subject(p_subject text) returns text language sql immutable cost 500
  as $$
    select trim(regexp_replace(regexp_replace(normalize(p_subject, NFC),
      '^(\s*(((r[eé]|r|aw|sv|vs|antw|fwd?|wg|tr|rif|res|enc|rv|odp|pd|ynt|回复|回覆|答复|转发)(\[[0-9]+\])?|automatic reply|auto(matic)?[- ]reply|automatische antwort|r[eé]ponse automatique|respuesta autom[aá]tica|risposta automatica|resposta autom[aá]tica)\s*[:：]|\[(ext|extern|external|externe)\]))+',
      '', 'i'), '\s+', ' ', 'g'))
  $$;

drop function app.match_mails(text, jsonb);
-- Which of these mails answer ours: by the Message-IDs that they name, else the sender's address, else the domain of the lead
-- with our subject. p_mails: [{uid, sendIds[], mentions[], from, domain, subject}]; domain null: a free-mail provider, which says nothing.
create function app.match_mails(p_account text, p_mails jsonb) returns table (uid bigint, send_id uuid, person_id uuid, named boolean)
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    with q as (
      select j.*, case when app.is_respelt(j."from") then app.mail_identity(j."from") else lower(j."from") end as mailbox
      from jsonb_to_recordset(p_mails) as j (uid bigint, "sendIds" uuid[], mentions text[], "from" text, domain text, subject text)
    ),
    s as materialized (
      select s.id, s.person_id, s.dispatched_at, lower(s.target ->> 'to') as addressee, s.target ->> 'givenId' as given_id, s.target ->> 'subject' as subject,
        case when app.is_respelt(s.target ->> 'to') then app.mail_identity(s.target ->> 'to') else lower(s.target ->> 'to') end as mailbox
      from send s where s.account_id = p_account and s.action = 'mail' and s.dispatched_at is not null and app.may_use_account(p_account)
    ),
    hits as (
      select q.uid, s.id, s.person_id, 1 as rank, s.dispatched_at from q join s on s.id = any (q."sendIds") or s.given_id = any (q.mentions)
      union all select q.uid, s.id, s.person_id, 2, s.dispatched_at from q join s on s.mailbox = q.mailbox
      union all select q.uid, s.id, s.person_id, 3, s.dispatched_at from q join s on q.domain is not null and split_part(s.addressee, '@', 2) = q.domain
        and q.subject <> '' and lower(app.plain_subject(s.subject)) = q.subject
        and (select count(distinct o.person_id) from s o where split_part(o.addressee, '@', 2) = q.domain and lower(app.plain_subject(o.subject)) = q.subject) = 1
    )
    select distinct on (hits.uid) hits.uid, hits.id, hits.person_id, hits.rank = 1 from hits order by hits.uid, hits.rank, hits.dispatched_at desc
  $$;

do $$
declare f text;
begin
  foreach f in array array['plain_subject(text)', 'match_mails(text, jsonb)'] loop
    execute format('alter function app.%s owner to outrider_definer', f);
    execute format('revoke execute on function app.%s from public', f);
    execute format('grant execute on function app.%s to outrider_definer', f);
  end loop;
end $$;
grant execute on function app.match_mails(text, jsonb) to outrider_executor;
