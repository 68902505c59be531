-- Returns the contact policy of each of these campaigns of the workspace, with its defaults (catalog: contact
-- policy). `scope_key`: key of the contact claim, to which scope account appends the account; `company_limit`: people
-- of a company per day, 0: any number; times in ms.
create or replace function app.judge_policy(p_workspace text, p_campaigns text[])
  returns table (
    campaign_id text, dedupe_scope text, scope_key text, agency_id text, stop_on_reply boolean,
    recontact_ms bigint, touch_ms bigint, company_limit int
  )
  language sql stable
  as $$
    select
      c.id,
      app.dedupe_scope(c.settings),
      app.scope_key(c.settings, c.id, p_workspace, w.agency_id, ''),
      w.agency_id,
      app.policy_flag(c.settings, 'stopOnReply'),
      app.policy_days(c.settings, 'recontactAfterDays')::bigint * 86400000,
      app.policy_days(c.settings, 'minDaysBetweenTouches')::bigint * 86400000,
      app.policy_days(c.settings, 'maxLeadsPerCompanyPerDay')
    from unnest(p_campaigns) as k (id)
    join campaign c on c.id = k.id
    cross join workspace w
    where w.id = p_workspace
  $$;

grant execute on function app.judge_policy(text, text[]) to outrider_definer;
