-- Roles are made before (pkg/postgres/roles.ts): outrider_owner runs these files; outrider_app (MCP server, operator) and
-- outrider_executor own nothing and are held by row-level security, forced on every table; outrider_definer cannot log in and owns
-- the functions that reach beyond a tenant's rows.
-- Product time is bigint (epoch ms UTC); real time is timestamptz on the database clock.
create extension if not exists pg_trgm with schema public;
create schema app;
create schema outrider;
grant usage on schema outrider, app to outrider_app, outrider_executor, outrider_definer;
grant create on schema app to outrider_definer;

-- Programs of the application's role wait until the schema is their own before they work on it.
grant select on public.outrider_migration to outrider_app;
