-- Query lists: a stored search whose members follow the leads. What changed since the last time is known by transaction
-- ids, so that refreshing a list costs what changed and not what there is.
set local search_path = outrider, app, public;

alter table outrider.lead_list
  add column filter jsonb,                  -- the predicate as app.find_leads takes it
  add column max_leads int not null default 100000,
  add column materialized_tx xid8;          -- changes of this transaction and later ones are not in yet; null: nothing is

alter table outrider.lead add column changed_tx xid8 not null default pg_current_xact_id();
create index lead_changed on outrider.lead (changed_tx);
alter table outrider.lead_overlay add column tags_tx xid8 not null default pg_current_xact_id();
create index lead_overlay_changed on outrider.lead_overlay (workspace_id, tags_tx);

create function app.mark_lead_changed() returns trigger language plpgsql set search_path = outrider, app, pg_catalog
  as $$
  begin
    new.changed_tx := pg_current_xact_id();
    return new;
  end $$;
create trigger lead_changed before update on outrider.lead for each row
  when ((old.full_name, old.title, old.headline, old.company, old.industry, old.company_size, old.seniority, old.location, old.country, old.email, old.erased_at, old.company_id)
    is distinct from (new.full_name, new.title, new.headline, new.company, new.industry, new.company_size, new.seniority, new.location, new.country, new.email, new.erased_at, new.company_id))
  execute function app.mark_lead_changed();
create function app.mark_tags_changed() returns trigger language plpgsql set search_path = outrider, app, pg_catalog
  as $$
  begin
    new.tags_tx := pg_current_xact_id();
    return new;
  end $$;
create trigger tags_changed before update on outrider.lead_overlay for each row
  when (old.tags is distinct from new.tags) execute function app.mark_tags_changed();
revoke execute on function app.mark_lead_changed(), app.mark_tags_changed() from public;

-- Brings a query list up to date; returns its number of leads. A lead that no longer matches leaves the list; its runs go on.
create function app.materialise_list(p_list uuid, p_now bigint) returns int
  language plpgsql volatile security definer set search_path = outrider, app, public, pg_catalog set jit = off
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
    select * into list from lead_list t where t.id = p_list and t.type = 'query' and t.deleted_at is null for update;
    if not found or list.filter is null or not app.may_use(list.workspace_id) then return null; end if;
    if list.materialized_tx is not null and list.materialized_tx <= horizon then
      changed := app.changed_for_list(list.id, list.workspace_id, list.filter, list.materialized_tx, 20001);
    end if;
    if changed = '{}' then return list.lead_count; end if;
    if changed is null or array_length(changed, 1) > 20000 then
      execute format('select array(select l.id from lead l where %s and %s and %s order by l.id desc limit %s)',
        app.lead_criteria(list.filter), app.lead_tenant(list.workspace_id, list.filter), app.lead_belonging(list.workspace_id, list.filter), list.max_leads) into matching;
      delete from lead_list_member m where m.lead_list_id = p_list and not exists (select 1 from unnest(matching) x (id) where x.id = m.lead_id);
      get diagnostics moved = row_count;
      moved := -moved;
    else
      matching := app.match_leads(list.workspace_id, list.filter, changed);
      delete from lead_list_member m where m.lead_list_id = p_list and m.lead_id = any (changed) and m.lead_id <> all (matching);
      get diagnostics moved = row_count;
      moved := -moved;
    end if;
    room := list.max_leads - list.lead_count - moved;
    insert into lead_list_member (workspace_id, lead_list_id, lead_id, added_at)
      select list.workspace_id, p_list, x.id, p_now from unnest(matching) x (id)
      where not exists (select 1 from lead_list_member m where m.lead_list_id = p_list and m.lead_id = x.id)
      order by x.id desc limit greatest(0, room);
    get diagnostics done = row_count;
    if done + abs(moved) > 0 and list.campaign_id is not null then
      update icp set scores_stale = true where campaign_id = list.campaign_id and not scores_stale;
    end if;
    -- A full list whose leads left has room again; only a whole pass knows who fills it.
    update lead_list t set lead_count = t.lead_count + moved + done, last_materialized_at = p_now,
        materialized_tx = case when moved < 0 and t.lead_count >= t.max_leads and changed is not null then null else horizon end
      where t.id = p_list;
    return list.lead_count + moved + done;
  end $$;

-- Leads that may have entered or left a search since a transaction, at most p_most.
create function app.changed_for_list(p_list uuid, p_workspace text, p_filter jsonb, p_since xid8, p_most int) returns uuid[]
  language sql stable set search_path = outrider, app, pg_catalog
  as $$
    select array(
      select c.id from (
        select l.id from lead l where l.changed_tx >= p_since and (l.workspace_id is null or l.workspace_id = p_workspace)
        union select o.lead_id from lead_overlay o where p_filter ? 'tags' and o.workspace_id = p_workspace and o.tags_tx >= p_since
        union (select s.lead_id from lead_score s where p_filter ? 'minScore' and s.campaign_id = p_filter ->> 'campaignId' and s.total >= (p_filter ->> 'minScore')::real
          except select m.lead_id from lead_list_member m where m.lead_list_id = p_list)
        union (select m.lead_id from lead_list_member m where p_filter ? 'minScore' and m.lead_list_id = p_list
          except select s.lead_id from lead_score s where s.campaign_id = p_filter ->> 'campaignId' and s.total >= (p_filter ->> 'minScore')::real)
      ) c limit p_most)
  $$;
alter function app.materialise_list(uuid, bigint) owner to outrider_definer;
revoke execute on function app.materialise_list(uuid, bigint), app.changed_for_list(uuid, text, jsonb, xid8, int) from public;
grant execute on function app.changed_for_list(uuid, text, jsonb, xid8, int) to outrider_definer;
grant execute on function app.materialise_list(uuid, bigint) to outrider_app, outrider_executor, outrider_definer;
