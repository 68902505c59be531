-- Who somebody is belongs to an agency, else to a workspace: what one tenant writes of a person reaches no other. The
-- functions of this version give each person that has no scope yet theirs (app.settle_scopes).

-- agency:<id>, or workspace:<id> of a workspace without an agency (app.person_scope); '': not settled yet
alter table outrider.person add column scope text not null default '';
alter table outrider.person_alias add column scope text not null default '';
-- By what is rare first: a scope alone is all that an agency has.
alter table outrider.person_alias drop constraint person_alias_pkey, add primary key (kind, value, scope);
create index person_unscoped on outrider.person (id) where scope = '' and merged_into is null;

-- Who a lead of the shared pool is to an agency or a workspace. Written by app.resolve_persons; follows merges.
create table outrider.pool_person (
  lead_id uuid not null,
  scope text not null,
  person_id uuid not null references outrider.person(id),
  primary key (lead_id, scope)
);

-- Leads of a person, and to move them.
create index pool_person_person on outrider.pool_person (person_id);

alter table outrider.pool_person enable row level security;
alter table outrider.pool_person force row level security;
create policy definer_all on outrider.pool_person to outrider_definer using (true) with check (true);
create policy owner_all on outrider.pool_person to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.pool_person to outrider_definer;

-- A merge of two persons, with what proved that they are one; it can be undone (app.split_person). Stays for good.
create table outrider.person_merge (
  id uuid primary key default gen_random_uuid(),
  scope text not null,
  from_person uuid not null,
  into_person uuid not null,
  -- {kind: identity, provider, agency or scope, and by which lead, account or alias}
  evidence jsonb not null,
  -- leads and aliases that were the first one's: {leads: [id], aliases: [{kind, value}]}
  carried jsonb not null,
  -- real time
  merged_at timestamptz not null default now(),
  -- null: it stands
  undone_at timestamptz,
  undone_by text
);

create index person_merge_into on outrider.person_merge (into_person);
create index person_merge_from on outrider.person_merge (from_person);

alter table outrider.person_merge enable row level security;
alter table outrider.person_merge force row level security;
create policy app_platform on outrider.person_merge for select to outrider_app using ((select app.is_platform()));
create policy definer_all on outrider.person_merge to outrider_definer using (true) with check (true);
create policy owner_all on outrider.person_merge to outrider_owner using (true) with check (true);
grant select on outrider.person_merge to outrider_app;
grant select, insert, update on outrider.person_merge to outrider_definer;

-- The profile under which the account looked up provider_id, in lower case; null: nobody has proved whose id it is.
alter table outrider.relation add column profile_id text;
-- What was said under an id of the network: for an account it belongs to everybody who has met that id.
create index conversation_provider on outrider.conversation (account_id, provider_id) where provider_id <> '';
