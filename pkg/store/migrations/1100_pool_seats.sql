-- Which process of the pool serves a workspace (spec.executor.mode Pooled). Kept by the operator, so that one that
-- starts anew moves nobody; read by who hands out claims: a member of the pool gets those of its seats and no other. A
-- workspace that sleeps, or has a pod of its own, has none.
create table outrider.pool_seat (
  workspace_id text primary key,
  -- name of the member's Pod, which a new Pod of that name inherits
  member text not null,
  -- since when it is seated there (real time)
  seated_at timestamptz not null default clock_timestamp()
) with (fillfactor = 70);

create index pool_seat_member on outrider.pool_seat (member);

-- When the process of a member asked last whom it serves: one that hangs is still a Pod that runs.
create table outrider.pool_member (
  -- name of its Pod
  member text primary key,
  -- of the Pod that asked
  pod_uid text not null,
  -- real time
  seen_at timestamptz not null default clock_timestamp()
) with (fillfactor = 20);

alter table outrider.pool_seat enable row level security;
alter table outrider.pool_seat force row level security;
create policy app_platform on outrider.pool_seat to outrider_app
  using ((select app.is_platform()))
  with check ((select app.is_platform()));
create policy definer_all on outrider.pool_seat to outrider_definer using (true) with check (true);
create policy owner_all on outrider.pool_seat to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.pool_seat to outrider_app;
grant select, insert, update, delete on outrider.pool_seat to outrider_definer;

alter table outrider.pool_member enable row level security;
alter table outrider.pool_member force row level security;
create policy app_platform on outrider.pool_member to outrider_app
  using ((select app.is_platform()))
  with check ((select app.is_platform()));
create policy owner_all on outrider.pool_member to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.pool_member to outrider_app;
