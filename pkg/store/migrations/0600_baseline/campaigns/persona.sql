-- An optional buyer persona of a campaign, for the writer of texts. Written by tools; goes with its campaign.
create table outrider.persona (
  id uuid primary key,
  workspace_id text not null,
  campaign_id text not null references outrider.campaign(id),
  name text not null,
  description text not null default '',
  pain_points text[] not null default '{}',
  goals text[] not null default '{}',
  objections text[] not null default '{}',
  -- epoch ms, product time
  created_at bigint not null,
  updated_at bigint not null
);

create index persona_campaign on outrider.persona (workspace_id, campaign_id, id);

alter table outrider.persona enable row level security;
alter table outrider.persona force row level security;
create policy app_visible on outrider.persona to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.persona to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.persona to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.persona to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.persona to outrider_app;
grant select, insert, update, delete on outrider.persona to outrider_definer;
grant select on outrider.persona to outrider_executor;

create trigger keep_campaign_count after insert or delete on outrider.persona for each row execute function app.keep_campaign_count('personas');
create trigger keep_campaign_count_moved after update on outrider.persona for each row
  when (old.campaign_id is distinct from new.campaign_id) execute function app.keep_campaign_count('personas');
