-- A warm-up is told of as ready once: app.tell_warmup_ready keeps here of which one that was.
alter table outrider.mailbox_warmup
  -- started_at of the warm-up that was told of as ready; null: none was. An executor of the version before leaves it.
  add column told_ready_of bigint;
