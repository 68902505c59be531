-- Whether a workflow was enabled when it was deleted: so it is when it is brought back. Null: it lives, or a version
-- before this one deleted it.
alter table outrider.workflow add column deleted_enabled boolean;
