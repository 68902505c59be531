-- Trigger of lead_scrape_item: asks for no profile any more that is forgotten, in an erasure or after its time
-- (`asked` becomes null).
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
