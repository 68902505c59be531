-- A human, over all workspaces: an identity only, no names here. Made by app.resolve_persons and app.complete_leads; stays for good, since contact
-- was made with it.
create table outrider.person (
  id uuid primary key,
  -- the person that it turned out to be, never one that was merged itself; null: stands for itself
  merged_into uuid,
  -- epoch ms UTC, product time
  created_at bigint not null
);

-- To keep chains one step long.
create index person_merged on outrider.person (merged_into) where merged_into is not null;

alter table outrider.person enable row level security;
alter table outrider.person force row level security;
create policy definer_all on outrider.person to outrider_definer using (true) with check (true);
create policy owner_all on outrider.person to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.person to outrider_definer;
