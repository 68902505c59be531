-- A walk over the live runs of a workspace that has more than 5,000, to wake who waits for an account that may act again, or for what the settings
-- of one decide that were changed (settings_waiting, settings_of: as waiting and of_accounts). app.release_account and app.wake_waiting begin it,
-- the workspace's executor goes on with it part by part (app.walk_released) and removes it at the end.
create table outrider.release_walk (
  workspace_id text primary key,
  -- accounts that were released since the walk under way began: the next walk is for them
  waiting text[] not null,
  -- accounts of the walk under way
  of_accounts text[] not null default '{}',
  -- workflow that it came to; null: none has begun
  at_flow text,
  -- last lead of that workflow that it looked at
  at_lead uuid
);

alter table outrider.release_walk enable row level security;
alter table outrider.release_walk force row level security;
create policy definer_all on outrider.release_walk to outrider_definer using (true) with check (true);
create policy owner_all on outrider.release_walk to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.release_walk to outrider_definer;
