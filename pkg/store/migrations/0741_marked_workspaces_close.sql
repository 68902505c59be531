-- A workspace that is marked for deletion, or whose mark is taken back, closes or opens for the keys of its members
-- at their next call.
create trigger workspace_erasure_generation after update of erase_at on outrider.workspace
  for each row when (old.erase_at is distinct from new.erase_at) execute function app.raise_generations();
