-- Whom accounts know is asked person by person. The key began with the account, beside an index of the person alone: to a planner that takes the
-- table for empty both are as good, and one of them is read from end to end for each person. So each batch planned the statement anew, by the size
-- of the table, and that took four times as long as the statement. Now the key begins with the person and no other index knows of persons, so
-- that one plan is right for a table of any size. What is asked of one account is asked by the ids that its provider gives.
set local search_path = outrider, app, public;

alter table relation drop constraint relation_pkey, add primary key (person_id, account_id);
drop index relation_person;
create index relation_account on relation (account_id, provider_id);

create or replace function app.relations_of(p_persons uuid[]) returns table (account_id text, person_id uuid, state text, provider_id text, invitation_id text,
    requested_at bigint, connected_at bigint, chat_id text, chat_synced_at bigint)
  language sql stable security definer set search_path = outrider, app, pg_catalog
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_sort = on
  as $$
    select r.account_id, r.person_id, r.state, r.provider_id, r.invitation_id, r.requested_at, r.connected_at, c.external_id,
      greatest(c.synced_at, (select w.last_synced_at from account_wake w where w.account_id = r.account_id))
    from (select distinct p.id from unnest(p_persons) as p (id)) k
      -- One person at a time, whatever the planner knows of a table that grows by the minute.
      cross join lateral (select x.* from relation x where x.person_id = k.id
        and exists (select 1 from account_link l where l.account_id = x.account_id and l.workspace_id = (select app.workspace()) offset 0) offset 0) r
      left join lateral (select x.external_id, x.synced_at from conversation x where x.person_id = r.person_id and x.account_id = r.account_id
        order by x.last_message_at desc limit 1) c on true
  $$;
