-- Trigger of lead: keeps the words that searches look at, those with accents without them too (app.folded).
create or replace function app.keep_lead_search() returns trigger
  language plpgsql
  set search_path = outrider, app, pg_catalog
  as $$
  declare words text := new.full_name || ' ' || new.title || ' ' || new.company || ' ' || new.headline;
  begin
    new.search := to_tsvector('simple', words || ' ' || app.folded(words));
    return new;
  end $$;

revoke execute on function app.keep_lead_search() from public;
