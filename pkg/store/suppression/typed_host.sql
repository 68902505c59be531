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

grant execute on function app.typed_host(text) to outrider_app, outrider_definer, outrider_executor;
