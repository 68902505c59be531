-- Returns a statement that gives ids in the order of the search, newest first, below p_before (null: from the
-- newest), p_limit at most. It takes the smallest set that an index has in that order: of a company, a list, a tag or
-- a score, else pool, own leads or both. A lead with scores of several ICPs comes once for each. The walk does not
-- ask whether a lead meets the search.
create or replace function app.lead_walk(p_workspace text, p jsonb, p_before uuid, p_limit int) returns text
  language plpgsql immutable
  as $$
  declare
    before text := format('%L::uuid', coalesce(p_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
    shared text := format(
      'select l.id from lead l where l.workspace_id is null and l.erased_at is null and l.id < %s',
      before
    );
    own text := format(
      $own$
        select l.id
        from lead l
        where l.workspace_id = %L and l.workspace_id is not null and l.erased_at is null and l.id < %s
      $own$,
      p_workspace,
      before
    );
  begin
    if p ? 'companyId' then
      return format(
        'select l.id from lead l where l.company_id = %L::uuid and l.id < %s order by l.id desc limit %s',
        p ->> 'companyId',
        before,
        p_limit
      );
    elsif p ? 'leadListId' then
      return format(
        $list$
          select m.lead_id as id
          from lead_list_member m
          where m.lead_list_id = %L::uuid and m.workspace_id = %L and m.lead_id < %s
          order by m.lead_id desc limit %s
        $list$,
        p ->> 'leadListId',
        p_workspace,
        before,
        p_limit
      );
    elsif p ? 'tags' then
      return format(
        $tags$
          select o.lead_id as id
          from lead_overlay o
          where o.workspace_id = %L and o.lead_id < %s
          order by o.lead_id desc limit %s
        $tags$,
        p_workspace,
        before,
        p_limit
      );
    elsif p ? 'minScore' then
      return format(
        $score$
          select s.lead_id as id
          from lead_score s
          where s.campaign_id = %L and s.lead_id < %s
          order by s.lead_id desc limit %s
        $score$,
        p ->> 'campaignId',
        before,
        p_limit
      );
    elsif p ->> 'visibility' = 'shared' then
      return format('%s order by id desc limit %s', shared, p_limit);
    elsif p ->> 'visibility' = 'private' then
      return format('%s order by id desc limit %s', own, p_limit);
    end if;
    -- Each half in its own order and bound: both are walks then, whatever the planner thinks of their union.
    return format(
      $both$
        select id
        from ((%s order by id desc limit %s) union all (%s order by id desc limit %s)) u
        order by id desc limit %s
      $both$,
      shared,
      p_limit,
      own,
      p_limit,
      p_limit
    );
  end $$;

revoke execute on function app.lead_walk(text, jsonb, uuid, int) from public;
grant execute on function app.lead_walk(text, jsonb, uuid, int) to outrider_definer;
