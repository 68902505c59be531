-- Trigger of lists, workflows, ICPs, personas and phases: counts a row that comes, goes or moves in its campaign. Its
-- argument is the column of `campaign`. A row counts while it is there and has no tombstone; tables without
-- deleted_at have no tombstones. Locks: campaigns in order of ids.
create or replace function app.keep_campaign_count() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    before_id text := case
      when tg_op <> 'INSERT' and (to_jsonb(old) ->> 'deleted_at') is null then old.campaign_id
    end;
    after_id text := case
      when tg_op <> 'DELETE' and (to_jsonb(new) ->> 'deleted_at') is null then new.campaign_id
    end;
  begin
    if before_id is not distinct from after_id then return null; end if;
    -- It locks in one order, so that two transactions never wait for each other.
    execute format(
      $count$
        update campaign
        set %1$I = %1$I + case when id = $1 then 1 else -1 end
        where id in (
          select c.id
          from campaign c
          where c.id in ($1, $2) and c.workspace_id = $3
          order by c.id for no key update
        )
      $count$,
      tg_argv[0]
    ) using after_id, before_id, case tg_op when 'DELETE' then old.workspace_id else new.workspace_id end;
    return null;
  end $$;

alter function app.keep_campaign_count() owner to outrider_definer;
revoke execute on function app.keep_campaign_count() from public;
