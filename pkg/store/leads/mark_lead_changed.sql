-- Trigger of lead: notes that what searches look at has changed. Query lists find the lead by changed_tx
-- (app.changed_for_list).
create or replace function app.mark_lead_changed() returns trigger
  language plpgsql
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    new.changed_tx := pg_current_xact_id();
    return new;
  end $$;

revoke execute on function app.mark_lead_changed() from public;
