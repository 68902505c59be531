-- A webhook or chat may be one member's own: it follows what their notification preferences choose for its channel.
alter table outrider.integration
  -- null: of the workspace
  add column member_user uuid;

create index integration_member on outrider.integration (workspace_id, member_user)
  where member_user is not null and deleted_at is null;
