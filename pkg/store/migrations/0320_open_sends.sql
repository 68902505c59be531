-- A settlement changes nothing that stands in an index of its send, so that it makes no new entries in all of them: which sends
-- are open stands in a narrow table of its own.
set local search_path = outrider, app, public;

-- One row per send that is not settled. Kept by triggers, whoever writes the send.
create table outrider.open_send (
  workspace_id text not null,
  send_id uuid not null,
  primary key (workspace_id, send_id)
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
alter table outrider.open_send enable row level security;
alter table outrider.open_send force row level security;
create policy owner_all on outrider.open_send to outrider_owner using (true) with check (true);
create policy definer_all on outrider.open_send to outrider_definer using (true) with check (true);
create policy app_visible on outrider.open_send for select to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy executor_claim on outrider.open_send for select to outrider_executor using (workspace_id = (select app.workspace()));
grant select on outrider.open_send to outrider_app, outrider_executor;
grant select, insert, delete on outrider.open_send to outrider_definer;

create function app.keep_open_sends() returns trigger
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$ begin insert into open_send (workspace_id, send_id) select n.workspace_id, n.id from new_rows n where n.settled_at is null; return null; end $$;
create function app.keep_open_send() returns trigger
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    if tg_op = 'DELETE' or new.settled_at is not null then
      delete from open_send where workspace_id = old.workspace_id and send_id = old.id;
    else
      insert into open_send (workspace_id, send_id) values (new.workspace_id, new.id) on conflict do nothing;
    end if;
    return null;
  end $$;
alter function app.keep_open_sends() owner to outrider_definer;
alter function app.keep_open_send() owner to outrider_definer;
revoke execute on function app.keep_open_sends(), app.keep_open_send() from public;
grant execute on function app.keep_open_sends(), app.keep_open_send() to outrider_owner;
create trigger open_sends_made after insert on outrider.send referencing new table as new_rows for each statement execute function app.keep_open_sends();
create trigger open_send_changed after update on outrider.send for each row
  when ((old.settled_at is null) <> (new.settled_at is null)) execute function app.keep_open_send();
create trigger open_send_deleted after delete on outrider.send for each row when (old.settled_at is null) execute function app.keep_open_send();
insert into outrider.open_send (workspace_id, send_id) select workspace_id, id from outrider.send where settled_at is null;
drop index outrider.send_open;
-- Room for its two later versions beside it.
alter table outrider.send set (fillfactor = 50);

-- A person's claims and the claim of a person within a scope are found by one index instead of two.
alter table outrider.contact_claim drop constraint contact_claim_pkey;
alter table outrider.contact_claim add primary key (person_id, scope_key);
drop index outrider.contact_claim_person;

-- As before, by the table of open sends. Their definitions carry their settings.
do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.rest(bigint)'::regprocedure);
  after := replace(before, 'from send where workspace_id = ws and settled_at is null', 'from open_send o join send s on s.id = o.send_id where o.workspace_id = ws');
  if after = before then raise exception 'app.rest does not read as expected'; end if;
  execute after;
  before := pg_get_functiondef('app.recover_sends(bigint, int)'::regprocedure);
  after := replace(before, 'where workspace_id = ws and settled_at is null and state', 'where id in (select o.send_id from open_send o where o.workspace_id = ws) and state');
  if (select count(*) from regexp_matches(after, 'open_send o', 'g')) <> 2 then raise exception 'app.recover_sends does not read as expected'; end if;
  execute after;
  -- Only the accounts of what failed are locked, not those of all that is settled beside it.
  before := pg_get_functiondef('app.settle_sends(bigint, jsonb)'::regprocedure);
  after := replace(before, $old$perform 1 from account_pacing where account_id in (
          select s.account_id from jsonb_to_recordset(p_results) as q ("sendId" uuid) join send s on s.id = q."sendId" where (s.workspace_id = ws) is true) order by$old$,
    'perform 1 from account_pacing where account_id in (select s.account_id from send s where s.id = any (failed)) order by');
  if after = before then raise exception 'app.settle_sends does not read as expected'; end if;
  execute after;
end $$;
