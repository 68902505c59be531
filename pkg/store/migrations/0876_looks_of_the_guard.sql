-- While sends are frozen a reconciliation asks the operator to compare all resources with their rows as they are now:
-- what it found when it froze may be seconds old, and the rest would freeze again as soon as the freeze was lifted.
alter table outrider.restore_guard
  -- how often a look was asked for
  add column looks_wanted bigint not null default 0,
  -- up to which of them the operator has looked
  add column looks_done bigint not null default 0;
