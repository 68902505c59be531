-- Returns how many people the workspace has reached at these companies since `p_since` (epoch ms, product time), and
-- which: a row per company where it reached anybody. `p_companies` null: none.
create or replace function app.judge_company(p_workspace text, p_since bigint, p_companies text[])
  returns table (company_key text, people int, persons uuid[])
  language sql stable
  as $$
    select l.company_key, count(distinct s.person_id)::int, array_agg(distinct s.person_id)
    from send s
    join lead l on l.id = s.lead_id
    where p_companies is not null
      and s.workspace_id = p_workspace
      and s.claimed_at >= p_since
      and app.is_contact(s.action)
      and s.state <> 'failed'
      and l.company_key in (select unnest(p_companies))
    group by 1
  $$;

grant execute on function app.judge_company(text, bigint, text[]) to outrider_definer;
