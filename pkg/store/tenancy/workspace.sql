-- Returns the workspace for which this transaction acts as an executor: the key of its proven lease of kind
-- `workspace`; null without one.
create or replace function app.workspace() returns text
  language sql stable
  as $$ select app.proven_key('workspace') $$;

alter function app.workspace() owner to outrider_definer;
revoke execute on function app.workspace() from public;
grant execute on function app.workspace() to outrider_app, outrider_executor;
