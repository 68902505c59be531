-- A profile that is named by the number of a member is asked for in the number's own case, without which the network knows nobody by it: who
-- queued such addresses, as scrapers and recruiting tools give them, was told that none was found.
set local search_path = outrider, app, public;

alter table outrider.lead_scrape_item add column asked text;   -- how the network is asked for the profile; null: by profile_id

-- Whose profile is forgotten, in an erasure or after its time, is asked for no more.
create function app.forget_asked() returns trigger language plpgsql set search_path = outrider, app, pg_catalog as $$
  begin
    new.asked := null;
    return new;
  end $$;
alter function app.forget_asked() owner to outrider_definer;
revoke execute on function app.forget_asked() from public;
create trigger profile_forgotten before update of profile_id on outrider.lead_scrape_item for each row
  when (new.profile_id is distinct from old.profile_id) execute function app.forget_asked();
