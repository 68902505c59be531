-- Limits of a tier and action on a date (app.default_budget and app.scaled_limit in one); `p_days`: local dates since the first send.
create or replace function app.effective_limit(
  p_tier text,
  p_action text,
  p_configured jsonb,
  p_ramp boolean,
  p_ramp_days int,
  p_start_share double precision,
  p_days int,
  p_health double precision,
  OUT day int,
  OUT week int
) returns record
  language sql immutable
  as $$
    select s.day, s.week from app.default_budget(p_tier, p_action) b
      cross join lateral app.scaled_limit(b.day, b.week, p_action, p_configured, p_ramp, p_ramp_days, p_start_share, p_days, p_health) s
  $$;

grant execute on function app.effective_limit(text, text, jsonb, boolean, int, double precision, int, double precision) to outrider_app, outrider_definer, outrider_executor;
