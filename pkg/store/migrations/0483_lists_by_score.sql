-- A list by score costs what changed: whoever entered a lead, imported some, or fed a workflow from such a list compared all scores of the campaign
-- with all members of the list, for every such list. Now the pool of a campaign says which transaction wrote its scores last, and without any
-- since the list was brought up to date there is nothing to compare.
set local search_path = outrider, app, public;

-- What was written before this has the number of this transaction: each list compares once more.
alter table outrider.campaign_pool add column scores_tx xid8 not null default pg_current_xact_id();

do $$
declare
  before text;
  after text;
begin
  -- Of two writers each has the row to itself until it commits, so that who is seen by nobody yet is no older than what a list has seen.
  before := pg_get_functiondef('app.keep_pool()'::regprocedure);
  after := replace(before, 'perform app.lock_pools(campaigns, workspace);', 'perform app.lock_pools(campaigns, workspace);
    update campaign_pool k set scores_tx = pg_current_xact_id() where k.campaign_id = any (campaigns);');
  if after = before then raise exception 'app.keep_pool does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.changed_for_list(uuid, text, jsonb, xid8, integer)'::regprocedure);
  after := replace(before, 'where p_filter ? ''minScore'' and ', 'where p_filter ? ''minScore'' and exists (select 1 from campaign_pool k where k.campaign_id = p_filter ->> ''campaignId'' and k.scores_tx >= p_since) and ');
  if (select count(*) from regexp_matches(after, 'k\.scores_tx >= p_since', 'g')) <> 2 then raise exception 'app.changed_for_list does not read as expected'; end if;
  execute after;
end $$;
