-- Heads of chains in the order in which they were anchored; each carries the hash of the one before.
create table outrider.audit_anchor (
  seq bigint primary key generated always as identity,
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

alter table outrider.audit_anchor enable row level security;
alter table outrider.audit_anchor force row level security;
create policy app_append on outrider.audit_anchor for insert to outrider_app with check (true);
create policy app_platform on outrider.audit_anchor for select to outrider_app using ((select app.is_platform()));
create policy owner_all on outrider.audit_anchor to outrider_owner using (true) with check (true);
grant select, insert on outrider.audit_anchor to outrider_app;
