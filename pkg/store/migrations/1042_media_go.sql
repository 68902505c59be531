-- Bytes of media go a time after their post was published; a workspace keeps so many at most.
alter table outrider.content_medium
  -- when its bytes went (epoch ms, product time); null: they are kept, or were never fetched
  add column gone_at bigint;

create index content_medium_kept on outrider.content_medium (workspace_id, post_id)
  where state = 'ready' and gone_at is null;
