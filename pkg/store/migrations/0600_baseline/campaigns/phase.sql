-- A phase of a campaign's plan, in the order of `position`. Written by tools; goes with its campaign.
create table outrider.phase (
  id uuid primary key,
  workspace_id text not null,
  campaign_id text not null references outrider.campaign(id),
  name text not null,
  description text not null default '',
  objectives text[] not null default '{}',
  phase_type text not null,
  -- order in the campaign, from 0
  position int not null,
  -- epoch ms, product time
  created_at bigint not null,
  updated_at bigint not null
);

create index phase_campaign on outrider.phase (workspace_id, campaign_id, position);

alter table outrider.phase enable row level security;
alter table outrider.phase force row level security;
create policy app_visible on outrider.phase to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.phase to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.phase to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.phase to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.phase to outrider_app;
grant select, insert, update, delete on outrider.phase to outrider_definer;

create trigger keep_campaign_count after insert or delete on outrider.phase for each row execute function app.keep_campaign_count('phases');
create trigger keep_campaign_count_moved after update on outrider.phase for each row
  when (old.campaign_id is distinct from new.campaign_id) execute function app.keep_campaign_count('phases');
