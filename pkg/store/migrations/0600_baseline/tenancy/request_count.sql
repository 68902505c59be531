-- One window per key for all categories: 60 s from the key's first counted call. Also used while Redis is away.
create unlogged table outrider.request_count (
  -- A key's id, or `<key>@<workspace>` for a workspace's own limits on a user key.
  key_id text primary key,
  started timestamptz not null,
  -- read, write, llm, overall
  used int[] not null
) with (fillfactor = 50);

alter table outrider.request_count enable row level security;
alter table outrider.request_count force row level security;
create policy app_all on outrider.request_count to outrider_app using (true) with check (true);
create policy definer_all on outrider.request_count to outrider_definer using (true) with check (true);
create policy owner_all on outrider.request_count to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.request_count to outrider_app;
grant select, insert, update, delete on outrider.request_count to outrider_definer;
