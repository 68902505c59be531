-- The agent whose search brought the person whose profile is watched; null: a lead of the workspace or of a campaign.
alter table outrider.signal_watch add column found_by uuid;
create index signal_watch_found on outrider.signal_watch (found_by, looked_at) where found_by is not null;
