-- Trigger of lead_scrape_item: whose profile is forgotten, in an erasure or after its time, is asked for no more
-- (`asked` null).
create or replace function app.forget_asked() returns trigger
  language plpgsql
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    new.asked := null;
    return new;
  end $$;

alter function app.forget_asked() owner to outrider_definer;
revoke execute on function app.forget_asked() from public;
