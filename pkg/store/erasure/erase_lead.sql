-- Erases what a workspace holds on a lead: everything of a private one, its own data on a shared one. Live runs end
-- as suppressed, which cancels what is planned, claimed or in review (app.on_runs_ended). What proves contact (send
-- keys, budgets, times) stays without its content; what is open keeps its content until its outcome is known
-- (app.forget_settled). Conversations and reports of accounts that other living workspaces share stay. Source:
-- catalog svc_erase_lead.
-- p_now: epoch ms UTC, product time. p_keep: it also forbids contact with the person for good (suppression, source
-- erasure). Returns {kind: how many}, null when the lead is no lead of the workspace or was erased before.
-- The tool calls it, which leaves the tombstones, and app.purge_workspace. Locks: the lead, its runs, then what
-- belongs to them.
create or replace function app.erase_lead(p_workspace text, p_lead uuid, p_now bigint, p_keep boolean)
  returns jsonb
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare
    l record;
    erased jsonb := '{}';
    n int;
    cancelled int := 0;
    runs uuid[];
    sends uuid[];
  begin
    select *
    into l
    from lead x
    where x.id = p_lead
      and x.erased_at is null
      and (x.workspace_id is null or x.workspace_id = p_workspace)
    for update;
    if not found or not app.may_use(p_workspace) then return null; end if;
    l.person_id := app.lead_person_of(p_workspace, p_lead);
    loop
      perform 1
      from run r
      where r.workspace_id = p_workspace and r.lead_id = p_lead and r.ended_at is null
      order by r.id for no key update;
      -- It goes on while there are any: the batch for which it waited may have handed the lead over to another run.
      exit when not exists (
        select 1
        from run r
        where r.workspace_id = p_workspace and r.lead_id = p_lead and r.ended_at is null
      );
      with ended as (
        update run r
        set
          state = 'suppressed',
          due_at = null,
          wait_reason = null,
          ended_at = p_now,
          end_reason = 'the person was erased',
          version = version + 1
        where r.workspace_id = p_workspace and r.lead_id = p_lead and r.ended_at is null
        returning r.id
      ),
      logged as (
        insert into run_event (workspace_id, run_id, at, kind, actor, text, data)
        select
          p_workspace, e.id, p_now, 'run.completed', 'system', 'the person was erased',
          '{"state": "suppressed"}'
        from ended e
      )
      select cancelled + count(*)
      into cancelled
      from ended;
    end loop;
    erased := erased || jsonb_build_object('runsCancelled', cancelled);
    -- It reads sends after it has locked the runs: a batch that held them may have written some meanwhile.
    runs := array(select r.id from run r where r.workspace_id = p_workspace and r.lead_id = p_lead);
    sends := array(select s.id from send s where s.run_id = any (runs));
    -- Texts that were written about the person, also those that runs carry.
    update run r
    set facts = r.facts - app.wordy_facts()
    where r.workspace_id = p_workspace and r.lead_id = p_lead and r.facts ?| app.wordy_facts();
    update node_call k
    set result = '{}', error = null
    where k.workspace_id = p_workspace and k.lead_id = p_lead;
    get diagnostics n = row_count;
    erased := erased || jsonb_build_object('calls', n);
    -- app.forget_settled forgets what a call under way brings, once it has come.
    insert into erased_send (workspace_id, send_id)
    select k.workspace_id, k.id
    from node_call k
    where k.workspace_id = p_workspace and k.lead_id = p_lead and k.state <> 'settled'
    on conflict do nothing;
    delete from notification o
    where o.workspace_id = p_workspace and o.data ->> 'leadId' = p_lead::text;
    update review_item i
    set body = '', original_body = '', subject = null, facts = '[]'
    where i.run_id = any (runs) and i.workspace_id = p_workspace and i.lead_id = p_lead;
    get diagnostics n = row_count;
    erased := erased || jsonb_build_object('drafts', n);
    insert into erased_send (workspace_id, send_id)
    select s.workspace_id, s.id
    from send s
    where s.id = any (sends) and s.state in ('dispatched', 'unknown')
    on conflict do nothing;
    n := app.forget_words(
      array(select s.id from send s where s.id = any (sends) and s.state not in ('dispatched', 'unknown'))
    );
    erased := erased || jsonb_build_object('messages', n);
    if cardinality(sends) > 0 then
      update mail_report m
      set address = '', reason = ''
      where m.send_id = any (sends)
        and m.account_id = any (array(select distinct s.account_id from send s where s.id = any (sends)));
    end if;
    update mail_report m
    set address = '', reason = ''
    where m.address = lower(l.email)
      and exists (
        select 1
        from account_link k
        where k.account_id = m.account_id and k.workspace_id = p_workspace
      )
      and not exists (
        select 1
        from account_link k
        join workspace w on w.id = k.workspace_id and w.deleted_at is null
        where k.account_id = m.account_id and k.workspace_id <> p_workspace
      );
    -- The tombstone knows who must not be contacted.
    delete from suppression x
    where x.workspace_id = p_workspace
      and x.kind = 'mail'
      and x.source = 'bounce'
      and x.value = lower(l.email);
    update run_event e
    set text = '', data = '{}'
    from run r
    where r.id = e.run_id and r.workspace_id = p_workspace and r.lead_id = p_lead;
    with left_lists as (
      delete from lead_list_member m
      where m.workspace_id = p_workspace and m.lead_id = p_lead
      returning m.lead_list_id
    )
    update lead_list t
    set lead_count = greatest(0, t.lead_count - 1)
    from left_lists x
    where t.id = x.lead_list_id;
    get diagnostics n = row_count;
    erased := erased || jsonb_build_object('listMemberships', n);
    delete from lead_score s where s.workspace_id = p_workspace and s.lead_id = p_lead;
    get diagnostics n = row_count;
    erased := erased || jsonb_build_object('scores', n);
    delete from campaign_lead c where c.workspace_id = p_workspace and c.lead_id = p_lead;
    get diagnostics n = row_count;
    erased := erased || jsonb_build_object('campaigns', n);
    delete from lead_overlay o where o.workspace_id = p_workspace and o.lead_id = p_lead;
    get diagnostics n = row_count;
    erased := erased || jsonb_build_object('tagsAndNotes', n);
    delete from signal s where s.lead_id = p_lead and s.workspace_id = p_workspace;
    with emptied as (
      update conversation c
      set
        participant_name = '',
        participant_headline = '',
        participant_profile_url = '',
        preview = '',
        unread = 0,
        erased_at = p_now
      where (
          c.person_id = l.person_id
          or (c.account_id, c.provider_id) in (
            select r.account_id, r.provider_id
            from relation r
            where r.person_id = l.person_id and r.provider_id <> ''
          )
        )
        and c.erased_at is distinct from p_now
        and exists (
          select 1
          from account_link k
          where k.account_id = c.account_id and k.workspace_id = p_workspace
        )
        and not exists (
          select 1
          from account_link k
          join workspace w on w.id = k.workspace_id and w.deleted_at is null
          where k.account_id = c.account_id and k.workspace_id <> p_workspace
        )
      returning c.id
    ),
    silenced as (
      update message m
      set body = '', subject = null
      from emptied e
      where m.conversation_id = e.id
    )
    select count(*)
    into n
    from emptied;
    erased := erased || jsonb_build_object('conversations', n);
    if p_keep and l.person_id is not null then
      insert into suppression (
        id, workspace_id, level, kind, value, person_id, source, reason, removable, created_by, created_at
      )
      select
        gen_random_uuid(), p_workspace, 'workspace', 'person', l.person_id::text, l.person_id, 'erasure',
        'erased', app.is_removable('erasure'), 'erasure', p_now
      where not exists (
        select 1
        from suppression s
        where s.workspace_id = p_workspace and s.person_id = l.person_id and s.source = 'erasure'
      );
    end if;
    if l.workspace_id is not null then
      update lead x
      set
        first_name = '',
        last_name = '',
        full_name = '',
        headline = '',
        title = '',
        seniority = '',
        company = '',
        company_key = '',
        company_domain = '',
        company_id = null,
        industry = '',
        company_size = '',
        location = '',
        country = '',
        timezone = null,
        profile_url = '',
        profile_id = null,
        email = null,
        email_status = 'unknown',
        phone = null,
        custom_fields = '{}',
        provenance = '{}',
        updated_at = p_now,
        erased_at = p_now
      where x.id = p_lead;
      delete from lead_match_key k where k.lead_id = p_lead;
      -- A company that only this person stood for would tell where somebody worked.
      delete from company c
      where c.id = l.company_id
        and c.workspace_id = p_workspace
        and not exists (select 1 from lead o where o.company_id = c.id);
    end if;
    return erased || jsonb_build_object('lead', case when l.workspace_id is null then 0 else 1 end);
  end $$;

alter function app.erase_lead(text, uuid, bigint, boolean) owner to outrider_definer;
revoke execute on function app.erase_lead(text, uuid, bigint, boolean) from public;
grant execute on function app.erase_lead(text, uuid, bigint, boolean) to outrider_app;
