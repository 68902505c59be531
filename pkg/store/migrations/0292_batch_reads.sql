-- What a batch reads of accounts and relations. By functions that ask for the claim once: row security compared every row with
-- all accounts of the workspace, and without an index by person each batch walked the relations of everybody.
set local search_path = outrider, app, public;

create index relation_person on outrider.relation (person_id);
drop index outrider.conversation_person;
create index conversation_person on outrider.conversation (person_id, account_id, last_message_at desc);

-- Accounts linked to the workspace of the claim.
create function app.accounts_of(p_ids text[]) returns setof outrider.network_account
  language sql stable security definer set search_path = outrider, app, pg_catalog set enable_sort = on
  as $$
    select a.* from unnest(p_ids) as u (id)
      join account_link l on l.account_id = u.id and l.workspace_id = (select app.workspace())
      join network_account a on a.id = u.id
  $$;

-- What is known between these persons and the accounts linked to the workspace of the claim, with their latest conversation.
create function app.relations_of(p_persons uuid[]) returns table (account_id text, person_id uuid, state text, provider_id text, invitation_id text,
    requested_at bigint, connected_at bigint, chat_id text, chat_synced_at bigint)
  language sql stable security definer set search_path = outrider, app, pg_catalog set enable_sort = on
  as $$
    select r.account_id, r.person_id, r.state, r.provider_id, r.invitation_id, r.requested_at, r.connected_at, c.external_id, greatest(c.synced_at, w.last_synced_at)
    from (select distinct p.id from unnest(p_persons) as p (id)) k
      -- One person at a time, whatever the planner knows of a table that grows by the minute.
      cross join lateral (select x.* from relation x where x.person_id = k.id
        and exists (select 1 from account_link l where l.account_id = x.account_id and l.workspace_id = (select app.workspace())) offset 0) r
      left join lateral (select x.external_id, x.synced_at from conversation x where x.person_id = r.person_id and x.account_id = r.account_id
        order by x.last_message_at desc limit 1) c on true
      left join account_wake w on w.account_id = r.account_id
  $$;

do $$
declare f text;
begin
  foreach f in array array['accounts_of(text[])', 'relations_of(uuid[])'] loop
    execute format('alter function app.%s owner to outrider_definer', f);
    execute format('revoke execute on function app.%s from public', f);
    execute format('grant execute on function app.%s to outrider_executor', f);
  end loop;
end $$;
