-- A hold expires after half an hour, so that work that ended without a word costs nothing. A call has its ledger: it is settled, given back
-- or recovered in the end, however long that takes (many that wait for a slow provider, a clock that jumps), and what it delivered is
-- charged. Before, its hold could expire meanwhile, and what it delivered was free.
do $$
declare
  before text := pg_get_functiondef('app.expire_holds(text,bigint,int)'::regprocedure);
  after text := replace(before, 'c.expires_at <= clock_timestamp()', 'c.expires_at <= clock_timestamp()
        and not exists (select 1 from node_call n where n.workspace_id = c.workspace_id and n.credit_hold_id = c.id and n.state <> ''settled'')');
begin
  if length(replace(before, 'c.expires_at <= clock_timestamp()', '')) <> length(before) - 2 * length('c.expires_at <= clock_timestamp()') then
    raise exception 'app.expire_holds does not read as expected';
  end if;
  execute after;
end $$;
