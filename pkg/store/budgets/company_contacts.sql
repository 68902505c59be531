-- Returns who of the companies of these runs is contacted when, as far as it is known: {timezone, runs: [[run,
-- company, person, most people a day]], contacts: [[company, person, at]]}. Contacts are those of today (the
-- workspace's local date) and promised ones, of other runs than these. It leaves out runs without a company or a
-- limit. Source: catalog, contact policy (maxLeadsPerCompanyPerDay, 0: no limit).
-- p_now and `at`: epoch ms, product time. OU001: the lease is stale.
create or replace function app.company_contacts(p_now bigint, p_runs uuid[]) returns jsonb
  language plpgsql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    ws text := app.workspace();
    zone text;
    asking jsonb;
    companies text[];
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    select w.timezone into zone from workspace w where w.id = ws;
    select
      jsonb_agg(
        jsonb_build_array(
          u.id,
          l.company_key,
          u.person_id,
          app.policy_days(c.settings, 'maxLeadsPerCompanyPerDay')
        )
      ),
      array_agg(distinct l.company_key)
    into asking, companies
    from run u
    join campaign c on c.id = u.campaign_id
    join lead l on l.id = u.lead_id
    where u.id = any (p_runs)
      and u.workspace_id = ws
      and l.company_key <> ''
      and app.policy_days(c.settings, 'maxLeadsPerCompanyPerDay') > 0;
    if asking is null then
      return jsonb_build_object('timezone', zone, 'runs', '[]'::jsonb, 'contacts', '[]'::jsonb);
    end if;
    return jsonb_build_object(
      'timezone', zone,
      'runs', asking,
      'contacts', (
        select coalesce(jsonb_agg(jsonb_build_array(x.company_key, x.person_id, x.at)), '[]')
        from (
          select l.company_key, s.person_id, s.claimed_at as at
          from send s
          join lead l on l.id = s.lead_id
          where s.workspace_id = ws
            and s.claimed_at >= app.midnight(app.local_date(p_now, zone), zone)
            and app.is_contact(s.action)
            and s.state <> 'failed'
            and l.company_key = any (companies)
          union all
          select s.company_key, u.person_id, s.at
          from account_slot s
          join run u on u.id = s.run_id
          where s.workspace_id = ws
            and not s.acted
            and s.company_key <> ''
            and s.company_key = any (companies)
            and s.at >= p_now
            and s.run_id <> all (p_runs)
        ) x
      )
    );
  end $$;

alter function app.company_contacts(bigint, uuid[]) owner to outrider_definer;
revoke execute on function app.company_contacts(bigint, uuid[]) from public;
grant execute on function app.company_contacts(bigint, uuid[]) to outrider_executor;
