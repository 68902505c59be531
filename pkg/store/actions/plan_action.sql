-- Plans an action to a lead without a run; the executor of its workspace performs it (app.claim_actions). The same key
-- again finds the action that is open; a message, InMail or mail finds the open one of the workspace that says the same
-- to the person: one whose outcome is unknown may have said it. `p_once`: null for what is done once for account and
-- person, for ever (requests); `post:<id>`: once for account, kind of action and post, for ever; else what tells this
-- action from others to the person. `p_due`, `p_expires`, `p_now`: epoch ms, product time; after `p_expires` it does
-- not begin. `p_by`: address or key of who asks, or engine; `p_run`: the scheduled run that asks, null: none.
-- `p_urgent`: at once, without pace and hours. `p_unclaimed`: only where no other workspace follows the person.
-- Returns the action and whether this call made it; else `refusal`: no_lead (none of the workspace, or erased),
-- no_account (not linked to the workspace), no_campaign (none of it), suppressed, claimed (app.is_followed_elsewhere),
-- or already_sent (its key was spent, or an open action of another workspace has it). Nobody's workspace but the
-- caller's: no_lead. Locks: the person (app.resolve_persons), of a message, InMail or mail what the workspace says to
-- them, then the key, as advisory locks.
create or replace function app.plan_action(
  p_id uuid, p_workspace text, p_campaign text, p_lead uuid, p_account text, p_action text, p_budgets text[],
  p_once text, p_body text, p_target jsonb, p_urgent boolean, p_unclaimed boolean, p_due bigint, p_expires bigint,
  p_by text, p_run uuid, p_now bigint
)
  returns table (action_id uuid, made boolean, refusal text)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  #variable_conflict use_column
  declare
    costs text[];
    person uuid;
    spent text;
    known uuid;
    whose text;
  begin
    if not app.may_use(p_workspace)
      or not exists (
        select 1
        from lead l
        where l.id = p_lead
          and l.erased_at is null
          and (l.workspace_id is null or l.workspace_id = p_workspace)
      )
    then
      return query select null::uuid, false, 'no_lead';
      return;
    end if;
    if not exists (select 1 from account_link l where l.account_id = p_account and l.workspace_id = p_workspace) then
      return query select null::uuid, false, 'no_account';
      return;
    end if;
    if p_campaign is not null
      and not exists (select 1 from campaign c where c.id = p_campaign and c.workspace_id = p_workspace)
    then
      return query select null::uuid, false, 'no_campaign';
      return;
    end if;
    -- Who gets a copy of a mail gets a mail.
    costs := app.budgets_of(p_action, coalesce(p_body, '') <> '')
      || array_fill(p_action, array[jsonb_array_length(coalesce(p_target -> 'cc', '[]'))]);
    if p_budgets is distinct from costs then
      raise exception 'an action % spends %, not %', p_action, costs, p_budgets using errcode = '22023';
    end if;
    select p.person_id into person from app.resolve_persons(p_workspace, array[p_lead], p_now) p;
    if person is null then return query select null::uuid, false, 'no_lead'; return; end if;
    spent := case
      when p_once is null then 'r:' || p_account || ':' || person
      when p_once like 'post:%' then 'p:' || p_account || ':' || p_action || ':' || substr(p_once, 6)
      else 'a:' || p_workspace || ':' || person || ':' || p_once
    end;
    if p_action in ('message', 'inmail', 'mail') then
      perform pg_advisory_xact_lock(hashtextextended('says ' || p_workspace || ':' || person, 0));
      select a.id
      into known
      from action a
      where a.person_id = person
        and a.workspace_id = p_workspace
        and a.action = p_action
        and a.body = p_body
        and a.target ->> 'subject' is not distinct from p_target ->> 'subject'
        and a.target ->> 'to' is not distinct from p_target ->> 'to'
        and a.ended_at is null
      order by a.created_at limit 1;
      if found then return query select known, false, null::text; return; end if;
    end if;
    perform pg_advisory_xact_lock(hashtextextended('action ' || spent, 0));
    -- What is done once for an account is done once for all its workspaces: of another one's action it tells no id.
    select a.id, a.workspace_id
    into known, whose
    from action a
    where a.once_key = spent and a.ended_at is null;
    if found and whose = p_workspace then return query select known, false, null::text; return; end if;
    if found then return query select null::uuid, false, 'already_sent'; return; end if;
    if app.is_key_spent(spent, p_account, person, null) then
      return query select null::uuid, false, 'already_sent';
      return;
    end if;
    if not app.is_even_excluded(p_action)
      and exists (select 1 from app.suppressed_leads(p_workspace, p_campaign, array[p_lead], p_now))
    then
      return query select null::uuid, false, 'suppressed';
      return;
    end if;
    if p_unclaimed and app.is_followed_elsewhere(p_workspace, p_account, person) then
      return query select null::uuid, false, 'claimed';
      return;
    end if;
    insert into action (
      id, workspace_id, campaign_id, lead_id, person_id, account_id, action, budgets, once_key, body, target, urgent,
      due_at, expires_at, made_by, scheduled_run_id, created_at
    )
    values (
      p_id, p_workspace, p_campaign, p_lead, person, p_account, p_action, p_budgets, spent, p_body, p_target,
      p_urgent, p_due, p_expires, p_by, p_run, p_now
    );
    perform app.wake_workspaces(array[p_workspace], p_due, 'an action was planned');
    return query select p_id, true, null::text;
  end $$;

alter function app.plan_action(
  uuid, text, text, uuid, text, text, text[], text, text, jsonb, boolean, boolean, bigint, bigint, text, uuid, bigint
) owner to outrider_definer;
revoke execute on function app.plan_action(
  uuid, text, text, uuid, text, text, text[], text, text, jsonb, boolean, boolean, bigint, bigint, text, uuid, bigint
) from public;
grant execute on function app.plan_action(
  uuid, text, text, uuid, text, text, text[], text, text, jsonb, boolean, boolean, bigint, bigint, text, uuid, bigint
) to outrider_app, outrider_executor;
