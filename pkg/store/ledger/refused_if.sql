-- Returns a refusal when `p_when`, else null: by coalesce the first of several is the one that counts. `p_next_at`:
-- epoch ms, product time; null: nobody knows. The planner puts it into the query that asks.
create or replace function app.refused_if(p_when boolean, p_why text, p_next_at bigint) returns app.send_refusal
  language sql immutable
  as $$ select case when p_when then row(p_why, p_next_at)::app.send_refusal end $$;

grant execute on function app.refused_if(boolean, text, bigint) to outrider_definer;
