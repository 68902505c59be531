-- Trigger of company: keeps the words that searches look at, those with accents without them too (app.folded).
create or replace function app.keep_company_search() returns trigger
  language plpgsql
  set search_path = outrider, app, pg_catalog
  as $$
  declare words text := new.name || ' ' || new.domain;
  begin
    new.search := to_tsvector('simple', words || ' ' || app.folded(words));
    return new;
  end $$;

revoke execute on function app.keep_company_search() from public;
