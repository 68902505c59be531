-- Brings a query list up to date: leads that match enter, newest first and no more than max_leads; those that no
-- longer match leave, and their runs go on. When the list changed, ICPs of its campaign are to be scored anew. It
-- costs what changed since the last time, and goes through all leads where more than 20,000 changed or the list never
-- was up to date.
-- p_now: epoch ms, product time. Returns the list's number of leads; null: no such query list, or the caller may not
-- use its workspace. Locks: the list.
create or replace function app.materialise_list(p_list uuid, p_now bigint) returns int
  language plpgsql security definer
  set search_path = outrider, app, public, pg_catalog
  as $$
  declare
    list record;
    horizon xid8 := pg_snapshot_xmin(pg_current_snapshot());
    changed uuid[];
    matching uuid[];
    room int;
    moved int := 0;
    done int;
  begin
    select *
    into list
    from lead_list t
    where t.id = p_list and t.type = 'query' and t.deleted_at is null
    for update;
    if not found or list.filter is null or not app.may_use(list.workspace_id) then return null; end if;
    if list.materialized_tx is not null and list.materialized_tx <= horizon then
      changed := app.changed_for_list(list.id, list.workspace_id, list.filter, list.materialized_tx, 20001);
    end if;
    if changed = '{}' then return list.lead_count; end if;
    if changed is null or array_length(changed, 1) > 20000 then
      execute format(
        'select array(select l.id from lead l where %s and %s and %s order by l.id desc limit %s)',
        app.lead_criteria(list.filter),
        app.lead_tenant(list.workspace_id, list.filter),
        app.lead_belonging(list.workspace_id, list.filter),
        list.max_leads
      ) into matching;
      delete from lead_list_member m
      where m.lead_list_id = p_list
        and not exists (select 1 from unnest(matching) x (id) where x.id = m.lead_id);
      get diagnostics moved = row_count;
      moved := -moved;
    else
      matching := app.match_leads(list.workspace_id, list.filter, changed);
      delete from lead_list_member m
      where m.lead_list_id = p_list and m.lead_id = any (changed) and m.lead_id <> all (matching);
      get diagnostics moved = row_count;
      moved := -moved;
    end if;
    room := list.max_leads - list.lead_count - moved;
    insert into lead_list_member (workspace_id, lead_list_id, lead_id, added_at)
    select list.workspace_id, p_list, x.id, p_now
    from unnest(matching) x (id)
    where not exists (select 1 from lead_list_member m where m.lead_list_id = p_list and m.lead_id = x.id)
    order by x.id desc limit greatest(0, room);
    get diagnostics done = row_count;
    if done + abs(moved) > 0 and list.campaign_id is not null then
      update icp
      set scores_stale = true
      where campaign_id = list.campaign_id and not scores_stale;
    end if;
    -- A full list whose leads left has room again; only a whole pass knows who fills it.
    update lead_list t
    set
      lead_count = t.lead_count + moved + done,
      last_materialized_at = p_now,
      materialized_tx = case
        when moved < 0 and t.lead_count >= t.max_leads and changed is not null then null
        else horizon
      end
    where t.id = p_list;
    return list.lead_count + moved + done;
  end $$;

alter function app.materialise_list(uuid, bigint) owner to outrider_definer;
revoke execute on function app.materialise_list(uuid, bigint) from public;
grant execute on function app.materialise_list(uuid, bigint) to outrider_app, outrider_executor;
