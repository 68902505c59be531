-- Returns the statement of the first step of app.find_companies, which looks at the p_walk newest companies below
-- p_before (null: from the newest). Its columns: ids that match (p_limit at most, newest first), how many it looked
-- at, the id of the last.
create or replace function app.company_walk_sql(
  p_workspace text, p jsonb, p_before uuid, p_limit int, p_walk int
)
  returns text
  language sql immutable
  as $$
    select format(
      $walk$
        select
          coalesce((array_agg(c.id order by c.id desc) filter (where %4$s))[1:%5$s], '{}'),
          count(*)::int,
          (array_agg(c.id order by c.id desc))[count(*)]
        from (
          select *
          from (
            (
              select c.*
              from company c
              where c.workspace_id is null and c.id < %1$L::uuid
              order by c.id desc limit %3$s
            )
            union all
            (
              select c.*
              from company c
              where c.workspace_id = %2$L and c.workspace_id is not null and c.id < %1$L::uuid
              order by c.id desc limit %3$s
            )
          ) u
          order by id desc limit %3$s
        ) c
      $walk$,
      coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
      p_workspace,
      p_walk,
      app.company_criteria(p_workspace, p),
      p_limit
    )
  $$;

revoke execute on function app.company_walk_sql(text, jsonb, uuid, int, int) from public;
grant execute on function app.company_walk_sql(text, jsonb, uuid, int, int) to outrider_definer;
