-- What a campaign has used stands in a row: each hold under its creditBudget summed up all holds of the campaign before it, while it held
-- the balance that all others of the workspace wait for. With some hundred thousand of them a batch of texts took longer than a
-- statement may, and began anew for ever.
set local search_path = outrider, app, public;

create table outrider.campaign_credit (
  campaign_id text primary key,
  workspace_id text not null,
  -- Held and settled, without what was refunded.
  used bigint not null check (used >= 0)
);
alter table outrider.campaign_credit enable row level security;
alter table outrider.campaign_credit force row level security;
create policy owner_all on outrider.campaign_credit to outrider_owner using (true) with check (true);
create policy definer_all on outrider.campaign_credit to outrider_definer using (true) with check (true);
grant select, insert, update on outrider.campaign_credit to outrider_definer;

-- Nobody holds or settles between the sum and the functions that go on with it.
lock table outrider.credit_hold in share row exclusive mode;
insert into outrider.campaign_credit (campaign_id, workspace_id, used)
  select h.campaign_id, min(h.workspace_id), sum(case h.state when 'held' then h.amount else h.settled - h.refunded end)
  from outrider.credit_hold h where h.campaign_id is not null and h.state in ('held', 'settled') group by 1;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.post_credits(text, text, bigint, text, bigint, uuid, text, text, uuid, text, text, text)'::regprocedure);
  after := replace(before, '    return entry;', '    if p_campaign is not null and p_kind in (''hold'', ''release'', ''expire'', ''refund'') then
      -- One after the other: whoever posts holds the balance of the workspace.
      update campaign_credit k set used = k.used + case p_kind when ''refund'' then -p_amount else p_amount end where k.campaign_id = p_campaign;
      if not found then insert into campaign_credit (campaign_id, workspace_id, used) values (p_campaign, p_workspace, p_amount); end if;
    end if;
    return entry;');
  if after = before then raise exception 'app.post_credits does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.hold_credits(uuid, text, bigint, text, text, uuid, text, text, text, text, bigint, int, int)'::regprocedure);
  after := regexp_replace(before, 'select coalesce\(sum\(case when h\.state = ''held'' then h\.amount else h\.settled - h\.refunded end\), 0\) into used\s+from credit_hold h where h\.campaign_id = p_campaign and h\.state in \(''held'', ''settled''\);',
    'used := coalesce((select k.used from campaign_credit k where k.campaign_id = p_campaign), 0);');
  if after = before then raise exception 'app.hold_credits does not read as expected'; end if;
  execute after;
end $$;
