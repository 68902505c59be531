create table outrider.lead_scrape_item (
  job_id uuid not null references outrider.background_job(id),
  place int not null,
  workspace_id text not null,
  profile_id text not null,
  -- the private lead to fill; null: the pool's
  lead_id uuid,
  state text not null default 'queued' check (state in ('queued', 'found', 'not_found', 'failed')),
  asked text,
  primary key (job_id, place)
);

create index lead_scrape_lead on outrider.lead_scrape_item (lead_id) where lead_id is not null;
create index lead_scrape_profile on outrider.lead_scrape_item (workspace_id, profile_id) where profile_id <> '';
create unique index lead_scrape_queued on outrider.lead_scrape_item (workspace_id, profile_id) where state = 'queued';

alter table outrider.lead_scrape_item enable row level security;
alter table outrider.lead_scrape_item force row level security;
create policy app_visible on outrider.lead_scrape_item to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.lead_scrape_item to outrider_definer using (true) with check (true);
create policy owner_all on outrider.lead_scrape_item to outrider_owner using (true) with check (true);
grant select, insert, update on outrider.lead_scrape_item to outrider_app;
grant select, insert, update on outrider.lead_scrape_item to outrider_definer;

create trigger profile_forgotten before update of profile_id on outrider.lead_scrape_item for each row
  when (new.profile_id is distinct from old.profile_id) execute function app.forget_asked();
