-- Trigger of lead_overlay: notes that tags have changed. Query lists find the lead by tags_tx (app.changed_for_list).
create or replace function app.mark_tags_changed() returns trigger
  language plpgsql
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    new.tags_tx := pg_current_xact_id();
    return new;
  end $$;

revoke execute on function app.mark_tags_changed() from public;
