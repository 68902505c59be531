-- Sessions that were closed or idled out, two days (real time); the token itself needs no store.
create unlogged table outrider.session_end (
  -- of the session's token
  session_hash bytea primary key,
  ended_at timestamptz not null default clock_timestamp()
);

alter table outrider.session_end enable row level security;
alter table outrider.session_end force row level security;
create policy app_all on outrider.session_end to outrider_app using (true) with check (true);
create policy definer_all on outrider.session_end to outrider_definer using (true) with check (true);
create policy owner_all on outrider.session_end to outrider_owner using (true) with check (true);
grant select, insert, delete on outrider.session_end to outrider_app;
grant select, insert, delete on outrider.session_end to outrider_definer;
