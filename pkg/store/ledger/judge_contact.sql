-- Returns what was between the workspace and a person before a request, in one row. The planner puts it into the
-- query that asks, which finds each row by index, whatever it guesses of these tables. `last_at`: the last contact,
-- `other_at`: the last one by another workflow (what a person did by hand is none) within the policy's scope
-- (catalog: dedupeScope), both epoch ms and null where the request reaches nobody; `taken`: what may happen once has
-- happened; `holds_claim`: the run has the contact claim; `claim_elsewhere`: another run has it, or had it and it
-- rests until `cool_until`. With scope account that may be a run of another agency that follows the same human
-- (app.same_at): who claimed first goes on. The caller holds account_pacing, so that two of them do not judge at
-- once.
create or replace function app.judge_contact(
  p_workspace text, p_now bigint, p_run uuid, p_person uuid, p_contact boolean, p_workflow text,
  p_campaign text, p_account text, p_dedupe_scope text, p_agency text, p_send_key text, p_scope_key text
)
  returns table (
    last_at bigint, other_at bigint, taken boolean, holds_claim boolean, claim_elsewhere boolean,
    cool_until bigint
  )
  language sql stable rows 1
  as $$
    select
      t.last_at,
      t.other_at,
      k.key is not null
        or p_send_key like 'r:%'
          and exists (
            select 1
            from app.persons_at(p_account, p_person) as x (id)
            join send_key o on o.key = 'r:' || p_account || ':' || x.id
          ),
      coalesce(c.run_id = p_run and c.released_at is null, false),
      o.run_id is not null or c.run_id <> p_run and (c.released_at is null or c.cool_until > p_now),
      case when o.run_id is not null then o.cool_until else c.cool_until end
    from (
      select
        max(g.last_at) filter (where g.workspace_id = p_workspace) as last_at,
        max(g.last_at) filter (
          where g.workflow_id <> p_workflow
            and g.workflow_id not like 'action:%'
            and (
              case p_dedupe_scope
                when 'campaign' then g.campaign_id = p_campaign
                when 'account' then g.account_id = p_account
                when 'agency'
                  then g.workspace_id = p_workspace
                    or g.workspace_id in (select a.id from workspace a where a.agency_id = p_agency)
                else g.workspace_id = p_workspace
              end
            )
        ) as other_at
      from contact_log g
      where g.person_id = p_person and p_contact
    ) t
    left join lateral (select k.key from send_key k where k.key = p_send_key limit 1) k on true
    left join lateral (
      select c.run_id, c.released_at, c.cool_until, c.taken_at
      from contact_claim c
      where c.scope_key = p_scope_key and c.person_id = p_person
      limit 1
    ) c on true
    left join lateral (
      select x.run_id, x.cool_until
      from app.same_at(p_account, p_person) as h (id)
      join contact_claim x on x.person_id = h.id and x.scope_key = p_scope_key
      where p_dedupe_scope = 'account'
        and h.id <> p_person
        and (x.released_at is null or x.cool_until > p_now)
        and (c.run_id is distinct from p_run or c.released_at is not null or x.taken_at < c.taken_at)
      order by x.released_at nulls first, x.cool_until desc
      limit 1
    ) o on true
  $$;

grant execute on function app.judge_contact(text, bigint, uuid, uuid, boolean, text, text, text, text, text, text, text)
  to outrider_definer;
