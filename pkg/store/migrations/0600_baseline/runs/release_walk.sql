create table outrider.release_walk (
  workspace_id text primary key,
  -- Released since the walk under way began.
  waiting text[] not null,
  -- Those of the walk under way, and the last run that it came to; at_flow null: none has begun.
  of_accounts text[] not null default '{}',
  at_flow text,
  at_lead uuid
);

alter table outrider.release_walk enable row level security;
alter table outrider.release_walk force row level security;
create policy definer_all on outrider.release_walk to outrider_definer using (true) with check (true);
create policy owner_all on outrider.release_walk to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.release_walk to outrider_definer;
