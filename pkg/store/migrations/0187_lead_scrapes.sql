-- Leads from public profiles: read through a linked account of the network, into the shared pool, or into the private lead that
-- asked for it.
set local search_path = outrider, app, public;

alter table outrider.lead add column if not exists enriched_at bigint;

create table outrider.lead_scrape_item (
  job_id uuid not null references outrider.background_job (id),
  place int not null,
  workspace_id text not null,
  profile_id text not null,
  lead_id uuid,                             -- the private lead to fill; null: the pool's
  state text not null default 'queued' check (state in ('queued', 'found', 'not_found', 'failed')),
  primary key (job_id, place)
);
create unique index lead_scrape_queued on outrider.lead_scrape_item (workspace_id, profile_id) where state = 'queued';
alter table outrider.lead_scrape_item enable row level security;
alter table outrider.lead_scrape_item force row level security;
create policy owner_all on outrider.lead_scrape_item to outrider_owner using (true) with check (true);
create policy definer_all on outrider.lead_scrape_item to outrider_definer using (true) with check (true);
create policy app_visible on outrider.lead_scrape_item to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
grant select, insert, update on outrider.lead_scrape_item to outrider_app, outrider_definer;

-- Takes units of the accounts' budget for reading profiles: the first account of the workspace that may act and has some left.
-- next_at: when to ask again where nothing was granted (product time), null where no account is linked.
create function app.take_profile_reads(p_workspace text, p_now bigint, p_wanted int, out account_id text, out granted int, out next_at bigint)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    a record;
    b record;
  begin
    granted := 0;
    if not app.may_use(p_workspace) then return; end if;
    for a in
      select n.* from network_account n join account_link l on l.account_id = n.id where l.workspace_id = p_workspace order by n.last_action_at nulls first, n.id
    loop
      if a.status <> 'ok' or a.paused or coalesce(a.cooldown_until, 0) > p_now or app.is_rehearsed(a.id) or not app.is_guarded(a.id)
        or exists (select 1 from send_freeze z where z.channel in ('', 'network') and (z.until is null or z.until > p_now)
          and (z.scope = 'platform' or (z.scope = 'workspace' and z.target = p_workspace) or (z.scope = 'account' and z.target = a.id))) then
        next_at := least(next_at, p_now + 900000);
        continue;
      end if;
      insert into account_pacing (account_id) values (a.id) on conflict do nothing;
      perform 1 from account_pacing p where p.account_id = a.id for update;
      select * into b from app.open_budgets(p_workspace, p_now, array[a.id], array['profile_scrape']);
      granted := least(p_wanted, b.left_units);
      if granted > 0 then
        update account_budget x set used[1] = x.used[1] + granted,
            by_workspace = jsonb_set(x.by_workspace, array[p_workspace], to_jsonb(coalesce((x.by_workspace ->> p_workspace)::int, 0) + granted))
          where x.account_id = a.id and x.action = 'profile_scrape';
        account_id := a.id;
        return;
      end if;
      next_at := least(next_at, app.midnight(b.head + b.wait_days, a.timezone));
    end loop;
  end $$;

-- Keeps public profiles in the shared pool: a known one is brought up to date with what is told. p_rows: [{id, profile_id, …}].
create function app.keep_public_profiles(p_rows jsonb, p_now bigint) returns table (profile_id text, lead_id uuid)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare ids uuid[];
  begin
    if coalesce(cardinality(app.workspaces()), 0) = 0 and not app.is_platform() then raise exception 'no access to the pool' using errcode = '42501'; end if;
    with q as (
      select * from jsonb_to_recordset(p_rows) as r (id uuid, profile_id text, profile_url text, first_name text, last_name text, full_name text, headline text,
        title text, seniority text, company text, company_key text, location text, provenance jsonb)
      order by r.profile_id
    ),
    kept as (
      insert into lead as l (id, workspace_id, profile_id, profile_url, first_name, last_name, full_name, headline, title, seniority, company, company_key, location,
          provenance, created_at, updated_at, enriched_at)
        select q.id, null, q.profile_id, q.profile_url, q.first_name, q.last_name, q.full_name, q.headline, q.title, q.seniority, q.company, q.company_key, q.location,
          q.provenance, p_now, p_now, p_now from q
        on conflict (coalesce(workspace_id, ''), profile_id) where profile_id is not null and erased_at is null
        do update set first_name = coalesce(nullif(excluded.first_name, ''), l.first_name), last_name = coalesce(nullif(excluded.last_name, ''), l.last_name),
          full_name = coalesce(nullif(excluded.full_name, ''), l.full_name), headline = coalesce(nullif(excluded.headline, ''), l.headline),
          title = coalesce(nullif(excluded.title, ''), l.title), seniority = coalesce(nullif(excluded.seniority, ''), l.seniority),
          company = coalesce(nullif(excluded.company, ''), l.company), company_key = case when excluded.company = '' then l.company_key else excluded.company_key end,
          company_domain = case when excluded.company = '' or excluded.company_key = l.company_key then l.company_domain else '' end,
          location = coalesce(nullif(excluded.location, ''), l.location), provenance = l.provenance || excluded.provenance, updated_at = p_now, enriched_at = p_now
        returning l.id
    )
    select array_agg(k.id) into ids from kept k;
    perform app.link_companies(ids, p_now);
    perform app.resolve_persons(ids, p_now);
    return query select l.profile_id, l.id from lead l where l.id = any (ids);
  end $$;

-- Whether a profile that no lead has is on a list of people not to contact.
create function app.suppressed_profiles(p_workspace text, p_profiles text[], p_now bigint) returns setof text
  language sql stable security definer set search_path = outrider, app, pg_catalog
  as $$
    select distinct s.value from suppression s join workspace w on w.id = p_workspace
    where s.kind = 'profile' and s.value = any (p_profiles) and app.may_use(p_workspace) and s.applies_to = 'all_outreach'
      and (s.expires_at is null or s.expires_at > p_now)
      and (s.level = 'platform' or (s.level = 'agency' and s.agency_id = w.agency_id) or (s.level = 'workspace' and s.workspace_id = w.id))
    union
    select a.value from person_alias a join suppression s on s.person_id = a.person_id join workspace w on w.id = p_workspace
    where a.kind = 'profile' and a.value = any (p_profiles) and app.may_use(p_workspace) and s.applies_to = 'all_outreach'
      and (s.expires_at is null or s.expires_at > p_now)
      and (s.level = 'platform' or (s.level = 'agency' and s.agency_id = w.agency_id) or (s.level = 'workspace' and s.workspace_id = w.id))
  $$;

do $$
declare f text;
begin
  foreach f in array array['take_profile_reads(text, bigint, int)', 'keep_public_profiles(jsonb, bigint)', 'suppressed_profiles(text, text[], bigint)'] loop
    execute format('alter function app.%s owner to outrider_definer', f);
    execute format('revoke execute on function app.%s from public', f);
    execute format('grant execute on function app.%s to outrider_app, outrider_definer', f);
  end loop;
end $$;
grant execute on function app.link_companies(uuid[], bigint), app.resolve_persons(uuid[], bigint) to outrider_definer;
