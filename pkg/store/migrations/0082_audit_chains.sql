-- The audit log: every call, one hash chain per server process, heads anchored in a common chain. Nobody but the
-- owner of the schema can change or delete what is written.
set local search_path = outrider, app, public;

alter table outrider.audit_event
  -- One per server process, made at its start; position counts from 1 without a gap.
  add column chain uuid,
  add column position bigint,
  add column outcome text not null default 'ok',
  add column duration_us bigint not null default 0,
  add column input_hash text not null default '',
  add column record_ids text[] not null default '{}';
create unique index audit_event_link on outrider.audit_event (chain, position);
create index audit_event_call on outrider.audit_event (id);
revoke update, delete on outrider.audit_event from outrider_app;

-- Committed by the very transaction that wrote; the event of the same id follows in its process' chain.
create table outrider.audit_write (
  id uuid primary key,
  at bigint not null,
  actor_kind text not null,
  actor_id text not null,
  tool text not null,
  input_hash text not null,
  request_id text not null
);

-- Heads of chains in the order in which they were anchored; each carries the hash of the one before.
create table outrider.audit_anchor (
  seq bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  chain uuid not null,
  position bigint not null,
  head text not null,
  -- The process ended in order; a chain without this was cut off, and may lack its last batch.
  closed boolean not null,
  previous_hash text not null,
  hash text not null
);
create index audit_anchor_chain on outrider.audit_anchor (chain, position);

do $$
declare name text;
begin
  foreach name in array array['audit_write', 'audit_anchor'] loop
    execute format('alter table outrider.%I enable row level security', name);
    execute format('alter table outrider.%I force row level security', name);
    execute format('create policy owner_all on outrider.%I to outrider_owner using (true) with check (true)', name);
    execute format('create policy app_append on outrider.%I for insert to outrider_app with check (true)', name);
    execute format('create policy app_platform on outrider.%I for select to outrider_app using ((select app.is_platform()))', name);
    execute format('grant select, insert on outrider.%I to outrider_app', name);
  end loop;
end $$;
