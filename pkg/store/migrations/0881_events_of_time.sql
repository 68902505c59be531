-- What time alone causes is told by who looks: once per name.
create table outrider.timed_event (
  workspace_id text not null,
  -- what is told once, such as budget/<account>/<action>/day/<date>
  name text not null,
  -- epoch ms, product time; rows of what can not come again go
  at bigint not null,
  primary key (workspace_id, name)
);

create index timed_event_at on outrider.timed_event using brin (at);

alter table outrider.timed_event enable row level security;
alter table outrider.timed_event force row level security;
create policy app_platform on outrider.timed_event to outrider_app
  using ((select app.is_platform())) with check ((select app.is_platform()));
create policy definer_all on outrider.timed_event to outrider_definer using (true) with check (true);
create policy owner_all on outrider.timed_event to outrider_owner using (true) with check (true);
grant select, insert, delete on outrider.timed_event to outrider_app;
grant select, insert, delete on outrider.timed_event to outrider_definer;

alter table outrider.split_control
  -- when a split was judged last whose shares do not learn; epoch ms, product time; null: never
  add column judged_at bigint,
  -- the branch that was told as the winner
  add column told_winner text,
  -- `since` of the exposures that made it one: after a reset it may be told anew
  add column told_since bigint;
