-- What must be true of a signal, in the words of the agent's owner; '': the criteria alone decide.
alter table outrider.signal_agent add column judge text not null default '';

-- What somebody said of a signal who was asked so for an agent.
create table outrider.signal_verdict (
  agent_id uuid not null references outrider.signal_agent(id) on delete cascade,
  signal_id uuid not null references outrider.signal(id) on delete cascade,
  workspace_id text not null,
  -- tells what was asked: a hash of the agent's words
  asked text not null,
  match boolean not null,
  reason text not null,
  -- the words of the signal that decided
  evidence text not null,
  -- who judged: a model, or the built-in writer, which does not
  writer text not null,
  -- epoch ms, product time
  judged_at bigint not null,
  primary key (agent_id, signal_id)
);

create index signal_verdict_signal on outrider.signal_verdict (signal_id);

alter table outrider.signal_verdict enable row level security;
alter table outrider.signal_verdict force row level security;
create policy app_visible on outrider.signal_verdict to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.signal_verdict to outrider_definer using (true) with check (true);
create policy executor_claim on outrider.signal_verdict to outrider_executor
  using (workspace_id = (select app.workspace()))
  with check (workspace_id = (select app.workspace()));
create policy owner_all on outrider.signal_verdict to outrider_owner using (true) with check (true);
grant select, insert, update, delete on outrider.signal_verdict to outrider_app;
grant select, insert, update, delete on outrider.signal_verdict to outrider_definer;
grant select, insert, update on outrider.signal_verdict to outrider_executor;
