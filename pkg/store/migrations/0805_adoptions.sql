-- Workspace objects that bear the name of rows and may not have them: the rows are another owner's or agency's. The
-- newest one of a name; a platform admin confirms it (`outrider adopt`), for this very object.
create table outrider.adoption (
  -- of the workspace whose rows it asks for
  workspace_id text primary key,
  -- of the object
  uid text not null,
  -- its owner's address, and its agency (null: none)
  owner text not null,
  agency_id text,
  -- epoch ms, product time, as the next
  refused_at bigint not null,
  confirmed_at bigint
);

alter table outrider.adoption enable row level security;
alter table outrider.adoption force row level security;
create policy app_platform on outrider.adoption to outrider_app
  using ((select app.is_platform()))
  with check ((select app.is_platform()));
create policy definer_all on outrider.adoption to outrider_definer using (true) with check (true);
create policy owner_all on outrider.adoption to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.adoption to outrider_app;
grant select, insert, update, delete on outrider.adoption to outrider_definer;

-- Deletions that nobody can have meant: the object is gone, its rows rest until it is applied again or somebody
-- confirms that it was meant (`outrider deletions`). A row of `hold` stops what is below meanwhile.
create table outrider.held_deletion (
  kind text not null check (kind in ('Workspace', 'Campaign', 'Workflow')),
  -- of the row: its kind says which table
  id text not null,
  workspace_id text not null,
  -- of the object that was deleted
  uid text not null,
  -- for people
  reason text not null,
  -- epoch ms, product time
  held_at bigint not null,
  primary key (kind, id)
);
create index held_deletion_workspace on outrider.held_deletion (workspace_id);

alter table outrider.held_deletion enable row level security;
alter table outrider.held_deletion force row level security;
create policy app_visible on outrider.held_deletion to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.held_deletion to outrider_definer using (true) with check (true);
create policy owner_all on outrider.held_deletion to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.held_deletion to outrider_app;
grant select, insert, update, delete on outrider.held_deletion to outrider_definer;
