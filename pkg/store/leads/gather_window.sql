-- Takes a step of app.find_leads: finds what matches among about p_leads leads below p_before; p_sample
-- (app.lead_sample) says how fast leads were made.
-- found_ids: newest first, p_limit at most; since: the first id of the window, below which it has not looked. Both
-- are null when the window would be longer than the index has periods for.
create or replace function app.gather_window(
  p_workspace text, p jsonb, p_before uuid, p_limit int, p_sample jsonb, p_leads double precision,
  OUT found_ids uuid[], OUT since uuid
)
  returns record
  language plpgsql stable
  set search_path = outrider, app, public, pg_catalog
  as $$
  declare
    took float8 := greatest(
      1,
      app.id_time(p_before) - app.id_time((p_sample ->> 'last')::uuid)
    ) / (p_sample ->> 'sample')::float8;
    times text[] := app.lead_window(p_before, p_leads * took);
  begin
    if times is null then return; end if;
    execute format('select array(%s)', app.lead_gather_sql(p_workspace, p, p_before, p_limit, p_sample, times))
      into found_ids;
    since := app.window_start(times);
  end $$;

revoke execute on function app.gather_window(text, jsonb, uuid, int, jsonb, double precision) from public;
grant execute on function app.gather_window(text, jsonb, uuid, int, jsonb, double precision) to outrider_definer;
