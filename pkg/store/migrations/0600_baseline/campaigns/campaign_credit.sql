-- What a campaign has used of its creditBudget. Written with each hold, settlement and refund of credits that name the campaign; never removed.
create table outrider.campaign_credit (
  campaign_id text primary key,
  workspace_id text not null,
  -- Held and settled, without what was refunded.
  used bigint not null check (used >= 0)
);

alter table outrider.campaign_credit enable row level security;
alter table outrider.campaign_credit force row level security;
create policy definer_all on outrider.campaign_credit to outrider_definer using (true) with check (true);
create policy owner_all on outrider.campaign_credit to outrider_owner using (true) with check (true);
grant select, insert, update on outrider.campaign_credit to outrider_definer;
