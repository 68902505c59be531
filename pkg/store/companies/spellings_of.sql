-- Returns every form of a company's name (app.company_spellings) whose key (app.company_key) is kept; a name of ASCII
-- letters is not read again, which would cost as much as all else of its lead.
create or replace function app.spellings_of(p_name text, p_key text) returns text[]
  language sql immutable parallel safe
  as $$
    select case
      when p_name ~ '[^\x01-\x7f]' then app.company_spellings(p_name)
      else app.key_spellings(p_key)
    end
  $$;

grant execute on function app.spellings_of(text, text) to outrider_app, outrider_definer, outrider_executor;
