-- That a call wrote, committed by the very transaction that did; the event of the same id follows in its process' chain, and one that is
-- missing there shows. Kept for good.
create table outrider.audit_write (
  id uuid primary key,
  -- product time, epoch ms
  at bigint not null,
  -- as in audit_event
  actor_kind text not null,
  actor_id text not null,
  tool text not null,
  input_hash text not null,
  request_id text not null
);

alter table outrider.audit_write enable row level security;
alter table outrider.audit_write force row level security;
create policy app_append on outrider.audit_write for insert to outrider_app with check (true);
create policy app_platform on outrider.audit_write for select to outrider_app using ((select app.is_platform()));
create policy owner_all on outrider.audit_write to outrider_owner using (true) with check (true);
grant select, insert on outrider.audit_write to outrider_app;
