-- A public profile that a job (lead_scrape) reads. Queued by svc_queue_leads, closed by the job; stays with it. An erasure of the person closes it
-- and takes the profile.
create table outrider.lead_scrape_item (
  job_id uuid not null references outrider.background_job(id),
  -- order in the job, from 0
  place int not null,
  workspace_id text not null,
  -- normalised public id; '' when it was forgotten
  profile_id text not null,
  -- the private lead to fill; null: the pool's
  lead_id uuid,
  state text not null default 'queued' check (state in ('queued', 'found', 'not_found', 'failed')),
  -- by what the network is asked for the profile, where that is not profile_id (the number of a member, in its own case)
  asked text,
  primary key (job_id, place)
);

-- How the enrichment of a lead stands.
create index lead_scrape_lead on outrider.lead_scrape_item (lead_id) where lead_id is not null;
-- To forget a profile.
create index lead_scrape_profile on outrider.lead_scrape_item (workspace_id, profile_id) where profile_id <> '';
-- A workspace reads a profile once at a time.
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
