-- A request that the owner of an account made by hand to somebody whom a workflow follows, and that account sync had seen, stopped the account
-- at the next start of Postgres until somebody reconciled, as if it might be lost. Messages by hand that were noted before that start never did.
-- What was noted since may be one that a restored database lacks.
set local search_path = outrider, app, public;

alter table outrider.hand_action add column noted_start timestamptz;
alter table outrider.hand_action alter column noted_start set default pg_postmaster_start_time();

do $$
declare
  before text := pg_get_functiondef('app.lacking_traces(text, jsonb)'::regprocedure);
  after text;
begin
  after := replace(before, 'and r.person_id = p.person_id and r.state <> ''none'')', 'and r.person_id = p.person_id and r.state <> ''none'')
        and not exists (select 1 from hand_action h where h.account_id = p_account and h.action = p.kind and h.ref = p.ref
          and (h.noted_start is null or h.noted_start < pg_postmaster_start_time()))');
  if after = before then raise exception 'app.lacking_traces does not read as expected'; end if;
  execute after;
end $$;
