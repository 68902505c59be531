-- Since when a part of the installation is as it is, for svc_admin_get_system_health and `outrider admin health`. The
-- leader of the operator looks and writes it (pkg/store/figures/system-health.ts); that it was seen is its own sign
-- of life.
create table outrider.component_state (
  name text primary key,
  status text not null check (status in ('ok', 'degraded', 'down')),
  -- real time
  since timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp()
);

alter table outrider.component_state enable row level security;
alter table outrider.component_state force row level security;
create policy app_platform on outrider.component_state to outrider_app
  using ((select app.is_platform())) with check ((select app.is_platform()));
create policy definer_all on outrider.component_state to outrider_definer using (true) with check (true);
create policy owner_all on outrider.component_state to outrider_owner using (true) with check (true);
grant select, insert, update on outrider.component_state to outrider_app;
