-- What a workspace keeps of a lead, also of a shared one: tags, notes and the last contacts. Written by tools, node types and the ledger; goes with
-- the lead's erasure or the purge of the workspace.
create table outrider.lead_overlay (
  workspace_id text not null,
  lead_id uuid not null references outrider.lead(id),
  tags text[] not null default '{}',
  -- [{noteId, text, author, at}], 200 at most
  notes jsonb not null default '[]',
  -- epoch ms UTC, product time; null: never
  last_contacted_at bigint,
  last_replied_at bigint,
  -- transaction that last changed the tags (app.mark_tags_changed)
  tags_tx xid8 not null default pg_current_xact_id(),
  primary key (workspace_id, lead_id)
);

-- What a list that is a search has to look at again.
create index lead_overlay_changed on outrider.lead_overlay (workspace_id, tags_tx);
create index lead_overlay_replied on outrider.lead_overlay (workspace_id, lead_id) where last_replied_at is not null;
-- Search by tags.
create index lead_overlay_tag_keys on outrider.lead_overlay using gin (app.tag_keys(workspace_id, tags)) where tags <> '{}';

alter table outrider.lead_overlay enable row level security;
alter table outrider.lead_overlay force row level security;
create policy app_visible on outrider.lead_overlay to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.lead_overlay to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.lead_overlay to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.lead_overlay to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.lead_overlay to outrider_app;
grant select, insert, update, delete on outrider.lead_overlay to outrider_definer;
grant select, insert, update on outrider.lead_overlay to outrider_executor;

create trigger tags_changed before update on outrider.lead_overlay for each row
  when (old.tags is distinct from new.tags) execute function app.mark_tags_changed();
