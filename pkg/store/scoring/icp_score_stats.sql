-- Returns how the scores of an ICP are spread: their count and mean, how many reach p_least, and deciles as
-- percentile_cont of 0.1 to 1.0 gives them (null without scores). Source: catalog record ScoreDistribution. It reads
-- the index alone, in its order, and counts equal totals before it looks at them one by one. 0 where the caller may
-- not use its workspace. It is a definer function, since row-level security would read every row for its workspace.
create or replace function app.icp_score_stats(
  p_icp uuid, p_least double precision, OUT count int, OUT mean double precision, OUT in_campaign int,
  OUT deciles double precision[]
)
  returns record
  language plpgsql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare
    campaign text;
    workspace text;
  begin
    select i.campaign_id, i.workspace_id
    into campaign, workspace
    from icp i
    where i.id = p_icp;
    count := 0;
    in_campaign := 0;
    if not app.may_use(workspace) then return; end if;
    with equals as materialized (
      select s.total::float8 as total, count(*) as n
      from lead_score s
      where s.campaign_id = campaign and s.icp_id = p_icp
      group by s.total
    ),
    ranked as materialized (
      select e.total, e.n, sum(e.n) over (order by e.total) as upto from equals e
    ),
    places as (
      select d, 0.1::float8 * d * ((select sum(e.n) from equals e) - 1)::float8 as place
      from generate_series(1, 10) d
    )
    select
      coalesce(sum(r.n), 0)::int,
      sum(r.total * r.n) / sum(r.n),
      coalesce(sum(r.n) filter (where r.total >= p_least), 0)::int,
      (
        select array_agg(low.total + (high.total - low.total) * (p.place - floor(p.place)) order by p.d)
        from places p
        cross join lateral (select min(x.total) as total from ranked x where x.upto > floor(p.place)) low
        cross join lateral (select min(x.total) as total from ranked x where x.upto > ceil(p.place)) high
        where p.place is not null
      )
    into count, mean, in_campaign, deciles
    from ranked r;
  end $$;

alter function app.icp_score_stats(uuid, double precision) owner to outrider_definer;
revoke execute on function app.icp_score_stats(uuid, double precision) from public;
grant execute on function app.icp_score_stats(uuid, double precision) to outrider_app;
