-- Returns why a run ended where the product itself says so, else, of what a person or a graph said, that it ended
-- before: a run that is over has a reason. Null for one that goes on.
create or replace function app.own_end_reason(p_reason text) returns text
  language sql immutable
  as $$
    select case
      when p_reason is null then null
      when p_reason in ('the person was erased', 'the workflow was deleted', 'account unlinked') then p_reason
      else 'ended before the erasure'
    end
  $$;

revoke execute on function app.own_end_reason(text) from public;
grant execute on function app.own_end_reason(text) to outrider_definer;
