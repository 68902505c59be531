-- Returns letters and digits without accents in lower case, one blank between words, as person-identity.ts has it.
create or replace function app.plain_words(p_text text) returns text
  language sql immutable parallel safe
  as $$
    select btrim(
      regexp_replace(
        replace(lower(regexp_replace(normalize(p_text, NFKD), '[\u0300-\u036f]', '', 'g')), 'ς', 'σ'),
        '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u00d7\u00f7'
        '\u2000-\u2bff\u3000-\u303f\ufe00-\ufe0f\U0001f000-\U0001faff]+',
        ' ',
        'g'
      )
    )
  $$;

grant execute on function app.plain_words(text) to outrider_app, outrider_definer, outrider_executor;
