-- Returns one form of a mail address: lower case, without tag (anna+crm@), and without dots where they mean nothing;
-- its host in the letters of DNS, the others in one form of what people type. Twin: mailIdentity of the domain.
create or replace function app.mail_identity(p_mail text) returns text
  language sql immutable
  as $$
    select case
      when m.host in ('gmail.com', 'googlemail.com') then replace(m.name, '.', '') || '@gmail.com'
      else m.name || '@' || m.host
    end
    from (
      select
        regexp_replace(split_part(x.plain, '@', 1), '(.)\+.*$', '\1') as name,
        split_part(x.plain, '@', 2) as host
      from (select app.dns_mail(lower(trim(p_mail))) as plain) x
    ) m
  $$;

revoke execute on function app.mail_identity(text) from public;
grant execute on function app.mail_identity(text) to outrider_app, outrider_definer;
