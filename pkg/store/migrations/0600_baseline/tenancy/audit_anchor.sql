-- Heads of chains of audit events in the order in which they were anchored; each carries the hash of the one before, so that a chain that
-- is cut off or taken out shows (`outrider`'s check of the audit log). Servers append at intervals and at their end; kept for good.
create table outrider.audit_anchor (
  seq bigint primary key generated always as identity,
  -- real time
  at timestamptz not null default clock_timestamp(),
  chain uuid not null,
  -- of the head in its chain
  position bigint not null,
  -- hash of the event there
  head text not null,
  -- The process ended in order; a chain without this was cut off, and may lack its last batch.
  closed boolean not null,
  previous_hash text not null,
  -- SHA-256 of previous_hash and the rest (pkg/store/audit.ts)
  hash text not null
);

create index audit_anchor_chain on outrider.audit_anchor (chain, position);

alter table outrider.audit_anchor enable row level security;
alter table outrider.audit_anchor force row level security;
create policy app_append on outrider.audit_anchor for insert to outrider_app with check (true);
create policy app_platform on outrider.audit_anchor for select to outrider_app using ((select app.is_platform()));
create policy owner_all on outrider.audit_anchor to outrider_owner using (true) with check (true);
grant select, insert on outrider.audit_anchor to outrider_app;
