-- Returns what stays of a word by which an erased person is recognised: a salted hash, the same one each time. Null
-- and '' stay, and so does what is hashed already.
create or replace function app.hashed_word(p_word text) returns text
  language sql stable security definer
  set search_path = app, pg_catalog, pg_temp
  as $$
    select case
      when p_word is null or p_word = '' or p_word like 'erased:%' then p_word
      else 'erased:' || encode(app.erasure_hash('word', p_word), 'hex')
    end
  $$;

alter function app.hashed_word(text) owner to outrider_definer;
revoke execute on function app.hashed_word(text) from public;
