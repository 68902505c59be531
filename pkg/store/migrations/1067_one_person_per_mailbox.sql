-- Where a workspace or an agency knew both spellings of one mailbox as two persons, they are one: what one of them
-- wished holds for the mailbox (app.unite_persons; two with different profiles stay two). The functions are here as
-- they were when they came.
-- Returns a host in the letters that people type: xn--mller-kva.example as müller.example (RFC 3492), others as they
-- are, and so a label that no letters make. So hosts were kept before app.dns_host came, and what was hashed so can't
-- be made anew. Twin of domainToUnicode, which asBefore asks.
create or replace function app.typed_host(p_host text) returns text
  language plpgsql immutable parallel safe
  as $$
  declare
    label text;
    done text[] := '{}';
    points int[];
    digits text;
    at int;
    n bigint;
    place bigint;
    before bigint;
    weight bigint;
    delta bigint;
    digit int;
    bias int;
    k int;
    t int;
  begin
    if p_host is null or p_host !~ 'xn--' then return p_host; end if;
    <<labels>>
    foreach label in array string_to_array(p_host, '.') loop
      if label !~ '^xn--[a-z0-9-]{1,59}$' then
        done := done || label;
        continue;
      end if;
      digits := substring(label from '([^-]*)$');
      points := array(
        select ascii(c)
        from regexp_split_to_table(left(substr(label, 5), greatest(length(label) - 5 - length(digits), 0)), '') c
        where c <> ''
      );
      n := 128;
      place := 0;
      bias := 72;
      at := 1;
      while at <= length(digits) loop
        before := place;
        weight := 1;
        k := 36;
        loop
          digit := strpos('abcdefghijklmnopqrstuvwxyz0123456789', substr(digits, at, 1)) - 1;
          -- The digits end within a number, or it is greater than any that letters make.
          if at > length(digits) or place + digit * weight > 2147483647 then
            done := done || label;
            continue labels;
          end if;
          at := at + 1;
          place := place + digit * weight;
          t := least(26, greatest(1, k - bias));
          exit when digit < t;
          weight := least(weight * (36 - t), 2147483648);
          k := k + 36;
        end loop;
        delta := (place - before) / (case when before = 0 then 700 else 2 end);
        delta := delta + delta / (cardinality(points) + 1);
        k := 0;
        while delta > 455 loop
          delta := delta / 35;
          k := k + 36;
        end loop;
        bias := k + 36 * delta / (delta + 38);
        n := n + place / (cardinality(points) + 1);
        place := place % (cardinality(points) + 1);
        if n > 1114111 or n between 55296 and 57343 then
          done := done || label;
          continue labels;
        end if;
        points := points[:place] || n::int || points[place + 1:];
        place := place + 1;
      end loop;
      done := done || (select string_agg(chr(p), '' order by o) from unnest(points) with ordinality u (p, o));
    end loop;
    return array_to_string(done, '.');
  end $$;

-- Returns a mail address with its host in the letters that people type (app.typed_host); the address itself where its
-- host has no others.
create or replace function app.typed_mail(p_mail text) returns text
  language sql immutable parallel safe
  as $$
    select case
      when p_mail !~* '@.*xn--' then p_mail
      else split_part(p_mail, '@', 1) || '@' || app.typed_host(lower(split_part(p_mail, '@', 2)))
    end
  $$;

do $$
declare
  pair record;
begin
  for pair in
    with spelt as materialized (
      select distinct app.mail_identity(l.email) as mailbox, h.value
      from outrider.lead l
      cross join unnest(
        array[lower(trim(l.email)), app.dns_mail(lower(trim(l.email))), app.mail_identity(l.email)]
      ) m
      cross join unnest(array[m, app.typed_mail(m)]) f
      cross join lateral (select encode(sha256(convert_to(f, 'UTF8')), 'hex') as value) h
      where l.email ~* '@.*xn--|[^\x01-\x7f]' and l.erased_at is null
    )
    select distinct a.scope, a.person_id as one, b.person_id as other
    from spelt s
    join outrider.person_alias a on a.kind = 'mail' and a.value = s.value
    join spelt t on t.mailbox = s.mailbox
    join outrider.person_alias b on b.scope = a.scope and b.kind = 'mail' and b.value = t.value
    where a.person_id < b.person_id
    order by 1, 2, 3
  loop
    perform app.unite_persons(pair.one, pair.other, '{"kind": "identity", "by": "spellings of one mailbox"}');
  end loop;
end $$;
