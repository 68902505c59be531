-- Raises that the locks of identities are another transaction's (55P03); pkg/postgres/taken-lock.ts tries again, and
-- tells the caller this text when they are taken all the time.
create or replace function app.refuse_identities() returns void
  language plpgsql
  as $$
  begin
    raise exception using
      errcode = 'lock_not_available',
      message = 'An import is running that has some of the same persons; nothing was done',
      hint = 'Call svc_get_import_progress to see how far it is, and repeat this call in a few seconds.';
  end $$;
