-- Returns why a run ended where the product itself says so; null for what a person or a graph said.
create or replace function app.own_end_reason(p_reason text) returns text
  language sql immutable
  as $$
    select p_reason
    where p_reason in ('the person was erased', 'the workflow was deleted', 'account unlinked')
  $$;

revoke execute on function app.own_end_reason(text) from public;
grant execute on function app.own_end_reason(text) to outrider_definer;
