-- Who waits for an account that may act again, or is linked now, is woken in parts where a workspace has many runs: before, the statement that
-- wrote the account's state looked through all of them and moved whoever waited. Of some hundred thousand that took longer than a statement may:
-- the account was never noted as well again, nor linked, however often it was tried. Now the executor walks over the live runs, once for all
-- accounts that were released meanwhile, and remembers where it came to.
set local search_path = outrider, app, public;

create table outrider.release_walk (
  workspace_id text primary key,
  -- Released since the walk under way began.
  waiting text[] not null,
  -- Those of the walk under way, and the last run that it came to; at_flow null: none has begun.
  of_accounts text[] not null default '{}',
  at_flow text,
  at_lead uuid
);
alter table outrider.release_walk enable row level security;
alter table outrider.release_walk force row level security;
create policy owner_all on outrider.release_walk to outrider_owner using (true) with check (true);
create policy definer_all on outrider.release_walk to outrider_definer using (true) with check (true);
grant select, insert, update, delete on outrider.release_walk to outrider_definer;

-- Wakes who waits for the account in a workspace of few live runs; in one of many the executor will. Whether anybody may be woken.
create function app.release_account(p_workspace text, p_account text) returns boolean
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  declare
    looked int;
    ids uuid[];
  begin
    select count(*), array_agg(s.id) filter (where s.waits) into looked, ids from (
      select r.id, r.waits from workflow x cross join lateral (
          select r.id, r.wait_reason = 'account_unhealthy' and (r.account_id = p_account or r.account_id is null) and r.due_at is not null and r.state <> 'paused' as waits
          from run r where r.workflow_id = x.id and r.ended_at is null) r
        where x.workspace_id = p_workspace and x.deleted_at is null limit 5001) s;
    if looked > 5000 then
      insert into release_walk as w (workspace_id, waiting) values (p_workspace, array[p_account])
        on conflict (workspace_id) do update set waiting = w.waiting || p_account where not (p_account = any (w.waiting));
      return true;
    end if;
    update run set due_at = 0 where id = any (ids) and wait_reason = 'account_unhealthy' and ended_at is null and due_at is not null and state <> 'paused';
    return found;
  end $$;

-- A part of a walk: looks at some 20,000 live runs and wakes some 5,000 at most. Whether more is left.
create function app.walk_released(p_workspace text) returns boolean
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
  as $$
  declare
    w release_walk;
    f text;
    leads uuid[];
    part uuid[];
    ids uuid[] := '{}';
    looked int := 0;
    full_part boolean := false;
  begin
    select * into w from release_walk where workspace_id = p_workspace for update skip locked;
    if not found then return false; end if;
    if w.at_flow is null then
      w.of_accounts := w.waiting;
      w.waiting := '{}';
      w.at_flow := '';
    end if;
    <<flows>>
    for f in select x.id from workflow x where x.workspace_id = p_workspace and x.deleted_at is null and x.id >= w.at_flow order by x.id loop
      if f <> w.at_flow then w.at_lead := null; end if;
      w.at_flow := f;
      loop
        select array_agg(r.lead_id order by r.lead_id), array_agg(r.id) filter (where r.waits) into leads, part from (
          select r.id, r.lead_id, r.wait_reason = 'account_unhealthy' and (r.account_id = any (w.of_accounts) or r.account_id is null) and r.due_at is not null and r.state <> 'paused' as waits
          from run r where r.workflow_id = f and r.ended_at is null and r.lead_id > coalesce(w.at_lead, '00000000-0000-0000-0000-000000000000') order by r.lead_id limit 1000) r;
        exit when leads is null;
        w.at_lead := leads[cardinality(leads)];
        looked := looked + cardinality(leads);
        ids := ids || coalesce(part, '{}');
        full_part := looked >= 20000 or cardinality(ids) > 4000;
        exit flows when full_part;
        exit when cardinality(leads) < 1000;
      end loop;
    end loop;
    -- In the order in which executors lock them.
    perform 1 from run r where r.id = any (ids) order by r.id for no key update;
    update run set due_at = 0 where id = any (ids) and wait_reason = 'account_unhealthy' and ended_at is null and due_at is not null and state <> 'paused';
    if full_part then
      update release_walk set waiting = w.waiting, of_accounts = w.of_accounts, at_flow = w.at_flow, at_lead = w.at_lead where workspace_id = p_workspace;
      return true;
    end if;
    if cardinality(w.waiting) > 0 then
      update release_walk set waiting = w.waiting, of_accounts = '{}', at_flow = null, at_lead = null where workspace_id = p_workspace;
      return true;
    end if;
    delete from release_walk where workspace_id = p_workspace;
    return false;
  end $$;

do $$
declare
  f text;
  before text;
  after text;
begin
  foreach f in array array['release_account(text, text)', 'walk_released(text)'] loop
    execute format('alter function app.%s owner to outrider_definer', f);
    execute format('revoke execute on function app.%s from public', f);
    execute format('grant execute on function app.%s to outrider_definer', f);
  end loop;

  before := pg_get_functiondef('app.wake_on_release()'::regprocedure);
  after := regexp_replace(before, 'update run set due_at = 0 where workspace_id in \(select l\.workspace_id from account_link l where l\.account_id = new\.id\) and \(account_id = new\.id or account_id is null\)\s+and wait_reason = ''account_unhealthy'' and ended_at is null and due_at is not null and state <> ''paused'';',
    'perform app.release_account(l.workspace_id, new.id) from (select k.workspace_id from account_link k where k.account_id = new.id order by 1) l;');
  if after = before then raise exception 'app.wake_on_release does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.on_account_linked()'::regprocedure);
  after := regexp_replace(before, 'update run set due_at = 0 where workspace_id = new\.workspace_id .* if found then perform', 'if app.release_account(new.workspace_id, new.account_id) then perform');
  if after = before then raise exception 'app.on_account_linked does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.rest(bigint)'::regprocedure);
  after := replace(before, '    select count(*) filter (where state in (''claimed'', ''dispatched'')),', '    if app.walk_released(ws) then
      unparked := greatest(unparked, 1);
      -- Should this executor end before it goes on, another is called.
      walks := p_now;
    end if;
    select count(*) filter (where state in (''claimed'', ''dispatched'')),');
  after := replace(after, 'next_due := app.next_due(ws);', 'next_due := least(app.next_due(ws), walks);');
  after := replace(after, E'    kept bigint;\n', E'    kept bigint;\n    walks bigint;\n');
  if (select count(*) from regexp_matches(after, 'walk_released|least\(app\.next_due|walks bigint', 'g')) <> 4 then raise exception 'app.rest does not read as expected'; end if;
  execute after;
end $$;
