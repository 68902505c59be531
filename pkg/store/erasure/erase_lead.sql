-- Erases what a workspace holds on a lead: everything of a private one, its own data on a shared one. Live runs end
-- as suppressed, which cancels what is planned, claimed or in review (app.on_runs_ended). What proves contact (send
-- keys, budgets, times) stays without its content; what is open keeps its content until its outcome is known
-- (app.forget_settled). Which columns are emptied say the marks (app.column_marks). Conversations and reports of
-- accounts that other living workspaces share stay. Source: catalog svc_erase_lead.
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
    subject app.erasure_subject;
    part record;
    own constant text := ' and t.workspace_id = ($1).workspace_id';
    of_lead constant text := 't.lead_id = any (($1).leads)' || own;
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
    update action a
    set state = 'stopped', ended_at = p_now, due_at = null, wait_reason = null, error = 'the person was erased'
    where a.workspace_id = p_workspace and a.lead_id = p_lead and a.ended_at is null;
    sends := array(
      select s.id
      from send s
      where s.run_id = any (runs)
      union all
      select s.id
      from action a
      join send s on s.action_id = a.id
      where a.workspace_id = p_workspace and a.lead_id = p_lead
    );
    perform app.cancel_sends(
      array(select s.id from send s where s.id = any (sends) and s.action_id is not null and s.state = 'claimed'),
      p_now
    );
    subject.workspace_id := p_workspace;
    subject.leads := array[p_lead];
    subject.runs := runs;
    -- app.forget_settled forgets what a send or a call under way brings, once it has come.
    insert into erased_send (workspace_id, send_id)
    select k.workspace_id, k.id
    from node_call k
    where k.workspace_id = p_workspace and k.lead_id = p_lead and k.state <> 'settled'
    union all
    select s.workspace_id, s.id
    from send s
    where s.id = any (sends) and s.state in ('dispatched', 'unknown')
    on conflict do nothing;
    subject.sends := array(
      select s.id from send s where s.id = any (sends) and s.state not in ('dispatched', 'unknown')
    );
    subject.conversations := app.conversations_only_of(p_workspace, l.person_id, p_now);
    -- Of each kind, with what app.column_marks says of its columns.
    for part in
      select *
      from (
        values
          ('', 'outrider.run', 't.id = any (($1).runs)', 'words'),
          ('calls', 'outrider.node_call', 't.run_id = any (($1).runs)', 'words'),
          ('', 'outrider.notification', '(t.data ->> ''leadId'') = any (($1).leads::text[])' || own, 'delete'),
          ('drafts', 'outrider.review_item', 't.run_id = any (($1).runs)', 'words'),
          ('messages', 'outrider.send', 't.id = any (($1).sends)', 'words'),
          ('', 'outrider.action', of_lead, 'words'),
          ('', 'outrider.run_event', 't.run_id = any (($1).runs)', 'words'),
          ('scores', 'outrider.lead_score', of_lead, 'delete'),
          ('campaigns', 'outrider.campaign_lead', of_lead, 'delete'),
          ('tagsAndNotes', 'outrider.lead_overlay', of_lead, 'delete'),
          ('', 'outrider.signal', of_lead, 'delete'),
          ('conversations', 'outrider.conversation', 't.id = any (($1).conversations)', 'words'),
          ('', 'outrider.message', 't.conversation_id = any (($1).conversations)', 'words')
      ) x (kind, name, of_subject, act)
    loop
      n := app.erase_rows(part.name, part.of_subject, part.act, subject, false, null);
      if part.kind <> '' then erased := erased || jsonb_build_object(part.kind, n); end if;
    end loop;
    update conversation c set unread = 0, erased_at = p_now where c.id = any (subject.conversations);
    subject.mails := array[lower(l.email)];
    -- Of the accounts that have reports of the address: a workspace may have thousands of others.
    subject.accounts := array(
      select distinct m.account_id
      from mail_report m
      where m.address = any (subject.mails) and app.is_account_of(m.account_id, p_workspace)
    );
    perform app.erase_rows(
      'outrider.mail_report',
      't.address = any (($1).mails) and t.account_id = any (($1).accounts)',
      'words', subject, false, null
    );
    if cardinality(sends) > 0 then
      subject.sends := sends;
      subject.accounts := array(select distinct s.account_id from send s where s.id = any (sends));
      perform app.erase_rows(
        'outrider.mail_report',
        't.send_id = any (($1).sends) and t.account_id = any (($1).accounts)',
        'words', subject, false, null
      );
    end if;
    -- The tombstone knows who must not be contacted.
    delete from suppression x
    where x.workspace_id = p_workspace
      and x.kind = 'mail'
      and x.source = 'bounce'
      and x.value = lower(l.email);
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
      perform app.erase_rows('outrider.lead', 't.id = any (($1).leads)', 'empty', subject, false, null);
      update lead x set company_id = null, updated_at = p_now, erased_at = p_now where x.id = p_lead;
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
