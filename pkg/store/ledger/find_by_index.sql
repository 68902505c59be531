-- Lets the statements of the rest of the transaction find their rows by index, as a function with that profile does.
create or replace function app.find_by_index() returns void
  language plpgsql
  as $$
  begin
    -- planner: by_index for the transaction
  end $$;

grant execute on function app.find_by_index() to outrider_app, outrider_executor;
