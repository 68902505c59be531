-- Programs of the application's role wait until the schema is their own before they work on it.
grant select on public.outrider_migration to outrider_app;
