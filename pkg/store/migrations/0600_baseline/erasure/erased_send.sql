-- A send or node call that was open when its person was erased, or a call when its workflow was purged: its texts, result and error go once the
-- outcome is known, and this row with them (app.forget_settled).
create table outrider.erased_send (
  workspace_id text not null,
  -- of a send or of a node_call
  send_id uuid not null,
  primary key (workspace_id, send_id)
);

alter table outrider.erased_send enable row level security;
alter table outrider.erased_send force row level security;
create policy definer_all on outrider.erased_send to outrider_definer using (true) with check (true);
create policy owner_all on outrider.erased_send to outrider_owner using (true) with check (true);
grant select, insert, delete on outrider.erased_send to outrider_definer;
