-- One mailbox, one identity: `anna@münchen.example`, its spelling in the letters of DNS and the full-width one are the
-- same. What stands here in other letters gets that form: addresses of leads, aliases and exclusions, by address and by
-- hash. Salted hashes of erased persons can't be made anew: those who ask for them ask for both spellings. The
-- functions are here as they were when they came.
-- Returns a host in the letters of DNS: `müller.example` as xn--mller-kva.example (RFC 3492), others as they are.
-- Twin of the URL that domainOf asks.
create or replace function app.dns_host(p_host text) returns text
  language plpgsql immutable parallel safe
  as $$
  declare
    label text;
    done text[] := '{}';
    points int[];
    basic text;
    made text;
    n int;
    delta int;
    bias int;
    handled int;
    next_point int;
    point int;
    q int;
    k int;
    t int;
  begin
    if p_host is null or p_host !~ '[^\x01-\x7f]' then return p_host; end if;
    foreach label in array string_to_array(lower(normalize(p_host, NFKC)), '.') loop
      if label !~ '[^\x01-\x7f]' then
        done := done || label;
        continue;
      end if;
      points := array(select ascii(c) from regexp_split_to_table(label, '') c);
      basic := regexp_replace(label, '[^\x01-\x7f]', '', 'g');
      made := case when basic = '' then '' else basic || '-' end;
      handled := length(basic);
      n := 128;
      delta := 0;
      bias := 72;
      while handled < cardinality(points) loop
        next_point := (select min(p) from unnest(points) p where p >= n);
        delta := delta + (next_point - n) * (handled + 1);
        n := next_point;
        foreach point in array points loop
          if point < n then delta := delta + 1; end if;
          continue when point <> n;
          q := delta;
          k := 36;
          loop
            t := least(26, greatest(1, k - bias));
            exit when q < t;
            made := made || substr('abcdefghijklmnopqrstuvwxyz0123456789', 1 + t + (q - t) % (36 - t), 1);
            q := (q - t) / (36 - t);
            k := k + 36;
          end loop;
          made := made || substr('abcdefghijklmnopqrstuvwxyz0123456789', 1 + q, 1);
          delta := delta / (case when handled = length(basic) then 700 else 2 end);
          delta := delta + delta / (handled + 1);
          k := 0;
          while delta > 455 loop
            delta := delta / 35;
            k := k + 36;
          end loop;
          bias := k + 36 * delta / (delta + 38);
          delta := 0;
          handled := handled + 1;
        end loop;
        delta := delta + 1;
        n := n + 1;
      end loop;
      done := done || ('xn--' || made);
    end loop;
    return array_to_string(done, '.');
  end $$;

-- Returns a mail address whose letters are one form of what people type (NFKC), its host in the letters of DNS; the
-- address itself where it has plain letters.
create or replace function app.dns_mail(p_mail text) returns text
  language sql immutable parallel safe
  as $$
    select case
      when p_mail !~ '[^\x01-\x7f]' then p_mail
      else split_part(lower(normalize(p_mail, NFKC)), '@', 1)
        || '@' || app.dns_host(split_part(lower(normalize(p_mail, NFKC)), '@', 2))
    end
  $$;

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

create temporary table respelt on commit drop as
  select
    l.id,
    coalesce(l.workspace_id, '') as workspace_id,
    lower(trim(l.email)) as old,
    encode(sha256(convert_to(lower(trim(l.email)), 'UTF8')), 'hex') as old_hash,
    app.dns_mail(lower(trim(l.email))) as new,
    app.mail_identity(l.email) as mailbox
  from outrider.lead l
  where l.email ~ '[^\x01-\x7f]' and l.erased_at is null;

insert into outrider.person_alias (scope, kind, value, person_id)
select distinct on (a.scope, h.value) a.scope, 'mail', h.value, a.person_id
from respelt r
join outrider.person_alias a on a.kind = 'mail' and a.value = r.old_hash
cross join lateral (
  select encode(sha256(convert_to(n, 'UTF8')), 'hex') as value
  from unnest(array[r.new, r.mailbox]) n
) h
order by a.scope, h.value, a.person_id
on conflict do nothing;

update outrider.suppression s
set value = encode(sha256(convert_to(r.new, 'UTF8')), 'hex')
from respelt r
where s.kind = 'mail' and s.value = r.old_hash;

update outrider.suppression
set value = app.dns_mail(value)
where kind = 'mail' and value ~ '[^\x01-\x7f]';

-- A mailbox is one lead's: where a workspace has both spellings, the second keeps its own.
update outrider.lead l
set email = r.new
from (select distinct on (workspace_id, new) id, workspace_id, new from respelt order by workspace_id, new, id) r
where l.id = r.id
  and not exists (
    select 1
    from outrider.lead o
    where coalesce(o.workspace_id, '') = r.workspace_id
      and lower(o.email) = r.new
      and o.email is not null
      and o.erased_at is null
  );
