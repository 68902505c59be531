-- A key under which a private lead is found again when its name, its company or its address is spelled another way (matchKeys of the domain, 40 at
-- most). Written with the lead; goes with its erasure.
create table outrider.lead_match_key (
  workspace_id text not null,
  -- '@<mailbox>' or '<two words of the name>|<company>'
  key text not null,
  lead_id uuid not null references outrider.lead(id) on delete cascade,
  primary key (workspace_id, key, lead_id)
);

-- To erase a lead's.
create index lead_match_key_lead on outrider.lead_match_key (lead_id);

alter table outrider.lead_match_key enable row level security;
alter table outrider.lead_match_key force row level security;
create policy app_visible on outrider.lead_match_key to outrider_app
  using (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()))
  with check (workspace_id = any ((select app.workspaces())::text[]) or (select app.is_platform()));
create policy definer_all on outrider.lead_match_key to outrider_definer using (true) with check (true);
create policy owner_all on outrider.lead_match_key to outrider_owner using (true) with check (true);
grant select, insert, delete on outrider.lead_match_key to outrider_app;
grant select, insert, delete on outrider.lead_match_key to outrider_definer;
