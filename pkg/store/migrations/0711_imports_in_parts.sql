-- A large file is imported in parts, each in a transaction of its own. While it is under way its row knows by which
-- call it is made again, and how far it is: the same call goes on there.
alter table outrider.lead_import
  -- key of the call that imports in parts; null: none, or it is over
  add column call_key text,
  -- hash of its input: the same key with another file is refused
  add column input_hash text,
  -- parts that are stored
  add column parts_done int not null default 0,
  -- as errors, all that the parts have said so far; [] once it is over
  add column said jsonb not null default '[]',
  -- real time of the last part
  add column touched_at timestamptz;

create unique index lead_import_call on outrider.lead_import (workspace_id, call_key) where call_key is not null;
