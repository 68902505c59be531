-- A claim of all accounts asks no run for its lane; it asked each twice.
do $$
declare
  before text := pg_get_functiondef('app.claim_due(bigint, int, uuid[], int, bigint)'::regprocedure);
  after text := replace(before, 'app.lane_of(r.account_id) between least_lane and most_lane', '(p_lane is null or app.lane_of(r.account_id) = p_lane)');
begin
  if after = before then raise exception 'app.claim_due does not read as expected'; end if;
  execute after;
end $$;
