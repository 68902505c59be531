-- The window of a key for its request limits, one for all categories: 60 s (real time) from its first counted call (app.admit_call). For
-- installations without Redis, and while Redis is away; empty after a crash, a row for each key else.
create unlogged table outrider.request_count (
  -- a key's id, or `<key>@<workspace>` for a workspace's own limits on a user key
  key_id text primary key,
  started timestamptz not null,
  -- calls: read, write, llm, overall
  used int[] not null
) with (fillfactor = 50);

alter table outrider.request_count enable row level security;
alter table outrider.request_count force row level security;
create policy app_all on outrider.request_count to outrider_app using (true) with check (true);
create policy definer_all on outrider.request_count to outrider_definer using (true) with check (true);
create policy owner_all on outrider.request_count to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.request_count to outrider_app;
grant select, insert, update, delete on outrider.request_count to outrider_definer;
