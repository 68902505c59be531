-- Form in which names of companies are compared: lower case, no accents, punctuation or legal form; the plain name where nothing else is left. As
-- person-identity.ts has it.
create or replace function app.company_key(p_name text) returns text
  language sql immutable parallel safe
  as $$
    with x as (select app.plain_words(regexp_replace(replace(replace(p_name, 'ß', 'ss'), '&', ' and '), '[.'']', '', 'g')) as plain)
    select coalesce(nullif(btrim(regexp_replace(regexp_replace(plain,
      '(?<=^| )(inc|incorporated|corp|corporation|co|company|ltd|limited|llc|llp|plc|gmbh|ag|kg|kgaa|ug|se|sa|sas|sarl|srl|spa|bv|nv|ab|as|oy|aps|pty|sp z o o|zrt|kft|group|holding)(?= |$)',
      ' ', 'g'), ' +', ' ', 'g')), ''), plain) from x
  $$;

grant execute on function app.company_key(text) to outrider_app, outrider_definer, outrider_executor;
