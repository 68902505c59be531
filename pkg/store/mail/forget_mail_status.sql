-- Trigger of lead: forgets what a verification said of an address that changes in more than its case. emailStatus
-- becomes `unknown` and its provenance goes, unless the same write brings a status of its own.
create or replace function app.forget_mail_status() returns trigger
  language plpgsql
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    if new.email_status = old.email_status
      and new.provenance -> 'emailStatus' is not distinct from old.provenance -> 'emailStatus'
    then
      new.email_status := 'unknown';
      new.provenance := new.provenance - 'emailStatus';
    end if;
    return new;
  end $$;

alter function app.forget_mail_status() owner to outrider_definer;
revoke execute on function app.forget_mail_status() from public;
