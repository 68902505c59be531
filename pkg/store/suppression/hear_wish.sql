-- Lets a wish to be left alone that a workflow understood in a reply (ai:classify_reply) hold where one that is
-- understood at once does: it excludes the person in p_workspace and in every workspace of the account that heard it
-- (p_account; null: not known), of each agency its own person (app.same_at), and ends what is under way there as
-- suppressed, but for p_run, which found it out and takes its own way.
-- p_now: epoch ms, product time; p_reason: why, kept with the exclusion. It does nothing where the caller may not use
-- the workspace. Locks: the person (shared), runs in order of ids.
create or replace function app.hear_wish(
  p_now bigint, p_workspace text, p_account text, p_person uuid, p_run uuid, p_reason text
)
  returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    places text[];
    who uuid[];
    runs uuid[];
    known uuid[] := '{}';
    sends uuid[];
  begin
    if not app.may_use(p_workspace) then return; end if;
    p_person := coalesce(app.person_now(p_person), p_person);
    who := array(select x.id from app.same_at(p_account, p_person) as x (id));
    select array_agg(distinct x.id)
    into places
    from (
      select p_workspace as id
      union
      select l.workspace_id
      from account_link l
      where l.account_id = p_account and app.may_use_account(p_account)
    ) x;
    -- The run that found it out takes its own way. It reads again while it finds others: the batch for which it
    -- waited may have handed the person over to another run.
    loop
      select array_agg(x.id)
      into runs
      from (
        select r.id
        from run r
        where r.person_id = any (who)
          and r.ended_at is null
          and r.id <> p_run
          and r.workspace_id = any (places)
        order by r.id for no key update
      ) x;
      exit when runs is not distinct from known;
      known := runs;
    end loop;
    insert into suppression (
      id, workspace_id, level, kind, value, person_id, source, reason, removable, created_by, created_at
    )
    select
      gen_random_uuid(), w.id, 'workspace', 'person', o.id::text, o.id, 'unsubscribe', p_reason,
      app.is_removable('unsubscribe'), 'workflow', p_now
    from unnest(places) w (id)
    cross join unnest(who) o (id)
    left join person p on p.id = o.id and p.scope <> ''
    where coalesce(p.scope = app.person_scope(w.id), true)
      and not exists (
        select 1
        from suppression s
        where s.workspace_id = w.id and s.person_id = o.id and s.source = 'unsubscribe'
      );
    perform app.bar_profile_at(p_now, p_account, p_person, p_reason, 'workflow');
    perform app.bar_mail_at(p_now, p_account, p_person, p_reason, 'workflow');
    if runs is null then return; end if;
    select array_agg(s.id)
    into sends
    from send s
    where s.run_id = any (runs) and s.state in ('planned', 'claimed');
    if sends is not null then perform app.cancel_sends(sends, p_now); end if;
    insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
    select
      r.workspace_id,
      r.id,
      p_now,
      'unsubscribe.received',
      r.node_id,
      'lead',
      '',
      jsonb_build_object('by', 'a reply')
    from run r
    where r.id = any (runs);
    update run r
    set
      state = 'suppressed',
      ended_at = p_now,
      end_reason = 'unsubscribed',
      due_at = null,
      wait_reason = null,
      send_id = case when r.send_id = any (sends) then null else r.send_id end
    where r.id = any (runs);
    insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
    select
      r.workspace_id,
      r.id,
      p_now,
      'run.completed',
      nullif(r.node_id, ''),
      'engine',
      '',
      '{"state": "suppressed", "reason": "unsubscribed"}'
    from run r
    where r.id = any (runs);
  end $$;

alter function app.hear_wish(bigint, text, text, uuid, uuid, text) owner to outrider_definer;
revoke execute on function app.hear_wish(bigint, text, text, uuid, uuid, text) from public;
grant execute on function app.hear_wish(bigint, text, text, uuid, uuid, text) to outrider_executor;
