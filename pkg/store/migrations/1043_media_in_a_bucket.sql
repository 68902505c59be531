-- Bytes of media may lie in an S3-compatible store of the installation.
alter table outrider.content_medium
  -- table: in content_chunk; bucket: in that store
  add column stored text not null default 'table' check (stored in ('table', 'bucket'));

-- Media whose bytes in the bucket nobody needs any more; MCP servers, who have its keys, remove them.
create table outrider.bucket_garbage (
  medium_id uuid primary key,
  workspace_id text not null,
  -- pieces that there may be
  pieces int not null,
  since timestamptz not null default clock_timestamp()
);

create index bucket_garbage_since on outrider.bucket_garbage (since);

alter table outrider.bucket_garbage enable row level security;
alter table outrider.bucket_garbage force row level security;
create policy app_platform on outrider.bucket_garbage to outrider_app
  using ((select app.is_platform())) with check ((select app.is_platform()));
create policy definer_all on outrider.bucket_garbage to outrider_definer using (true) with check (true);
create policy owner_all on outrider.bucket_garbage to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.bucket_garbage to outrider_app;
grant select, insert, update, delete on outrider.bucket_garbage to outrider_definer;

-- Whatever ends a medium (an edit, a deleted post or workspace, retention, a fetch that failed), its bytes go
-- (pkg/store/content/leave_bytes.sql).
create or replace function app.leave_bytes() returns trigger language plpgsql as $$ begin return null; end $$;
create trigger bytes_left after delete on outrider.content_medium
  for each row when (old.stored = 'bucket' and old.gone_at is null) execute function app.leave_bytes();
create trigger bytes_gone after update of gone_at, state on outrider.content_medium
  for each row when (
    old.stored = 'bucket'
    and (
      old.gone_at is null and new.gone_at is not null
      or old.state is distinct from new.state and new.state = 'failed'
    )
  )
  execute function app.leave_bytes();
