-- Suppression compares in the forms of pkg/domain/person-identity.ts; a test compares the two on the same values.
set local search_path = outrider, app, public;

-- Letters and digits without accents in lower case, one space between words.
create function app.plain_words(p_text text) returns text language sql immutable parallel safe
  as $$
    select btrim(regexp_replace(
      replace(lower(regexp_replace(normalize(p_text, NFKD), '[\u0300-\u036f]', '', 'g')), 'ς', 'σ'),
      '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u00d7\u00f7\u2000-\u2bff\u3000-\u303f\ufe00-\ufe0f\U0001f000-\U0001faff]+', ' ', 'g'))
  $$;

-- The form of a company's name: no accents, punctuation, legal form.
create function app.company_key(p_name text) returns text language sql immutable parallel safe
  as $$
    with x as (select app.plain_words(regexp_replace(replace(replace(p_name, 'ß', 'ss'), '&', ' and '), '[.'']', '', 'g')) as plain)
    select coalesce(nullif(btrim(regexp_replace(regexp_replace(plain,
      '(?<=^| )(inc|incorporated|corp|corporation|co|company|ltd|limited|llc|llp|plc|gmbh|ag|kg|kgaa|ug|se|sa|sas|sarl|srl|spa|bv|nv|ab|as|oy|aps|pty|sp z o o|zrt|kft|group|holding)(?= |$)',
      ' ', 'g'), ' +', ' ', 'g')), ''), plain) from x
  $$;

-- A domain and the domains above it, but for the top one: mail.acme.com is also acme.com.
create function app.domains_above(p_domain text) returns text[] language sql immutable parallel safe
  as $$
    select coalesce(array_agg(array_to_string(part[n:], '.')), '{}')
    from (select string_to_array(p_domain, '.') as part) x, generate_series(1, cardinality(part) - 1) n
  $$;

grant execute on function app.plain_words(text), app.company_key(text), app.domains_above(text) to outrider_definer, outrider_app, outrider_executor;
