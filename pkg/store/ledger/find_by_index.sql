-- For the rest of the transaction statements find their rows by index: a batch of 2,000 keys looks to the planner
-- like a reason to read the whole table; it never is. Plans by index do not depend on the keys, so they are made
-- once: making them takes longer than a small batch.
create or replace function app.find_by_index() returns void
  language plpgsql
  as $$
  declare set text;
  begin
    set := set_config('enable_hashjoin', 'off', true);
    set := set_config('enable_mergejoin', 'off', true);
    set := set_config('enable_seqscan', 'off', true);
    set := set_config('enable_sort', 'off', true);
    set := set_config('enable_bitmapscan', 'off', true);
    set := set_config('enable_material', 'off', true);
    set := set_config('plan_cache_mode', 'force_generic_plan', true);
  end $$;

grant execute on function app.find_by_index() to outrider_app, outrider_executor;
