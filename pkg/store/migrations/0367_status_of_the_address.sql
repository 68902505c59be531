-- What a verification said holds for the address that it was asked for. Before, a lead whose address changed (by an enrichment, by hand,
-- by an import) kept it: another address was called valid, or invalid, that nobody had looked at, and was not verified when asked to,
-- since that counted as known and fresh.
set local search_path = outrider, app, public;

create function app.forget_mail_status() returns trigger language plpgsql set search_path = outrider, app, pg_catalog as $$
  begin
    if new.email_status = old.email_status and new.provenance -> 'emailStatus' is not distinct from old.provenance -> 'emailStatus' then
      new.email_status := 'unknown';
      new.provenance := new.provenance - 'emailStatus';
    end if;
    return new;
  end $$;
alter function app.forget_mail_status() owner to outrider_definer;
revoke execute on function app.forget_mail_status() from public;

create trigger forget_mail_status before update of email on lead for each row
  when (lower(new.email) is distinct from lower(old.email)) execute function app.forget_mail_status();
