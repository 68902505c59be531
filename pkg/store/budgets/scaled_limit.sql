-- Returns the limits of a day and of a week for one account: floor(min(tier, configured, the network's own bound of
-- requests) x ramp x health), at least 1 unless limit or health is 0. Week -1: none (catalog: rampUp).
-- pkg/domain/budget.ts has the same rule for forecasts.
-- `p_configured`: action -> {day, week}, which lowers, and raises days where app.is_raisable says so; `p_days`: local
-- dates since the first send, 0 before it; `p_health` and `p_start_share`: 0 to 1.
create or replace function app.scaled_limit(
  p_base_day int, p_base_week int, p_action text, p_configured jsonb, p_ramp boolean, p_ramp_days int,
  p_start_share double precision, p_days int, p_health double precision
)
  returns table (day int, week int)
  language sql immutable rows 1
  as $$
    -- The epsilon keeps 10 x 0.7 from becoming 6.999…
    select
      case
        when x.health <= 0 then 0
        when x.day > 0 then greatest(1, floor(x.day * x.share * x.health + 1e-9))::int
        else x.day
      end,
      case
        when x.health <= 0 then 0
        when x.week > 0 then greatest(1, floor(x.week * x.share * x.health + 1e-9))::int
        else x.week
      end
    from (
      select
        least(b.day, app.ceiling_day(p_action)) as day,
        case
          when b.week < 0 then coalesce(app.ceiling_week(p_action), b.week)
          else least(b.week, app.ceiling_week(p_action))
        end as week,
        b.share,
        b.health
      from (
        select
          least(
            case
              when app.is_raisable(p_action) then coalesce((p_configured -> p_action ->> 'day')::int, p_base_day)
              else p_base_day
            end,
            (p_configured -> p_action ->> 'day')::int
          ) as day,
          case
            when p_base_week < 0 then coalesce((p_configured -> p_action ->> 'week')::int, -1)
            else least(p_base_week, (p_configured -> p_action ->> 'week')::int)
          end as week,
          case
            when p_ramp and p_ramp_days > 0
              then least(1, s.start + (1 - s.start) * greatest(p_days, 0) / p_ramp_days)
            else 1
          end as share,
          s.health
        -- Both stand in columns of type real, whose 0.7 widens to 0.699999988: 10 x 0.7 would be 6.
        from (select p_start_share::real::text::float8 as start, p_health::real::text::float8 as health) s
      ) b
    ) x
  $$;

grant execute on function app.scaled_limit(int, int, text, jsonb, boolean, int, double precision, int, double precision)
  to outrider_app, outrider_definer, outrider_executor;
