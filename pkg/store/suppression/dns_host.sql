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

grant execute on function app.dns_host(text) to outrider_app, outrider_definer, outrider_executor;
