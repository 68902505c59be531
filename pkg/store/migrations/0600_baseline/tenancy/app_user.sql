-- Whoever owns or joins workspaces; made by the first Workspace that names an owner, an accepted invitation or `outrider`, kept for good.
create table outrider.app_user (
  id uuid primary key,
  -- unique in any case of its letters
  email text not null,
  name text not null default '',
  -- may use the admin tools, in every workspace
  platform_admin boolean not null default false,
  -- rises on every change that decides what the user's keys may do
  generation bigint not null default 1,
  -- product time, epoch ms
  created_at bigint not null
);

create unique index app_user_email on outrider.app_user (lower(email));

alter table outrider.app_user enable row level security;
alter table outrider.app_user force row level security;
create policy app_users on outrider.app_user to outrider_app using (true) with check (true);
create policy definer_all on outrider.app_user to outrider_definer using (true) with check (true);
create policy owner_all on outrider.app_user to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.app_user to outrider_app;
grant select, insert, update, delete on outrider.app_user to outrider_definer;

create trigger app_user_announced after update on outrider.app_user
  for each row when (old.generation is distinct from new.generation) execute function app.announce_generation();
create trigger app_user_generation before update on outrider.app_user
  for each row when ((old.platform_admin, old.name, old.email) is distinct from (new.platform_admin, new.name, new.email))
  execute function app.raise_own_generation();
