-- What happens to rows is told by the rows themselves, in the statement that causes it: no door can forget it.
-- Bodies come with the functions, after the migrations.
create or replace function app.tell_account() returns trigger language plpgsql as $$ begin return null; end $$;
create or replace function app.tell_dead_letter() returns trigger language plpgsql as $$ begin return null; end $$;
create or replace function app.tell_freeze() returns trigger language plpgsql as $$ begin return null; end $$;
create or replace function app.tell_import() returns trigger language plpgsql as $$ begin return null; end $$;
create or replace function app.tell_integration() returns trigger language plpgsql as $$ begin return null; end $$;
create or replace function app.tell_key() returns trigger language plpgsql as $$ begin return null; end $$;
create or replace function app.tell_lead() returns trigger language plpgsql as $$ begin return null; end $$;
create or replace function app.tell_leads_entered() returns trigger language plpgsql as $$ begin return null; end $$;
create or replace function app.tell_leads_made() returns trigger language plpgsql as $$ begin return null; end $$;
create or replace function app.tell_member() returns trigger language plpgsql as $$ begin return null; end $$;
create or replace function app.tell_scores_changed() returns trigger language plpgsql as $$ begin return null; end $$;
create or replace function app.tell_scores_made() returns trigger language plpgsql as $$ begin return null; end $$;

create trigger told_made after insert on outrider.lead
  referencing new table as new_rows for each statement execute function app.tell_leads_made();
create trigger told_erased after update on outrider.lead for each row
  when (old.erased_at is null and new.erased_at is not null and new.workspace_id is not null)
  execute function app.tell_lead();
create trigger told_enriched after update on outrider.lead for each row
  when (
    old.enriched_at is distinct from new.enriched_at and new.enriched_at is not null
    and new.workspace_id is not null and new.erased_at is null
  )
  execute function app.tell_lead();
create trigger told_scored after insert on outrider.lead_score
  referencing new table as new_rows for each statement execute function app.tell_scores_made();
create trigger told_rescored after update on outrider.lead_score
  referencing old table as old_rows new table as new_rows for each statement execute function app.tell_scores_changed();
create trigger told_entered after insert on outrider.run
  referencing new table as new_rows for each statement execute function app.tell_leads_entered();
create trigger told_ended after update on outrider.lead_import for each row
  when (old.finished_at is null and new.finished_at is not null)
  execute function app.tell_import();
create trigger told_done after insert on outrider.lead_import for each row
  when (new.finished_at is not null)
  execute function app.tell_import();
create trigger told_frozen after insert on outrider.send_freeze for each row execute function app.tell_freeze();
create trigger told_released after delete on outrider.send_freeze for each row execute function app.tell_freeze();
create trigger told_dead after update on outrider.send for each row
  when (old.dead_letter_at is null and new.dead_letter_at is not null)
  execute function app.tell_dead_letter();
create trigger told_key after insert on outrider.api_key for each row
  when (new.workspace_id is not null)
  execute function app.tell_key();
create trigger told_revoked after update on outrider.api_key for each row
  when (new.workspace_id is not null and old.revoked_at is null and new.revoked_at is not null)
  execute function app.tell_key();
create trigger told_joined after insert on outrider.member for each row execute function app.tell_member();
create trigger told_status after update on outrider.network_account for each row
  when (old.status <> new.status or old.paused <> new.paused)
  execute function app.tell_account();
create trigger told_error after update on outrider.integration for each row
  when (old.status <> new.status and new.status in ('needs_auth', 'error'))
  execute function app.tell_integration();
