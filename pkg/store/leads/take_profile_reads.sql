-- Takes units of an account's budget `profile_scrape` for reading up to p_wanted public profiles: what servers and
-- executors of versions before call in place of app.take_reads.
create or replace function app.take_profile_reads(
  p_workspace text, p_now bigint, p_wanted int, p_account text, OUT account_id text, OUT granted int, OUT next_at bigint
)
  returns record
  language sql security definer
  set search_path = outrider, app, pg_catalog
  as $$ select * from app.take_reads(p_workspace, p_now, 'profile_scrape', p_wanted, p_account) $$;

alter function app.take_profile_reads(text, bigint, int, text) owner to outrider_definer;
revoke execute on function app.take_profile_reads(text, bigint, int, text) from public;
grant execute on function app.take_profile_reads(text, bigint, int, text) to outrider_app, outrider_executor;

-- The same of any account of the workspace.
create or replace function app.take_profile_reads(
  p_workspace text, p_now bigint, p_wanted int, OUT account_id text, OUT granted int, OUT next_at bigint
)
  returns record
  language sql security definer
  set search_path = outrider, app, pg_catalog
  as $$ select * from app.take_profile_reads(p_workspace, p_now, p_wanted, null) $$;

alter function app.take_profile_reads(text, bigint, int) owner to outrider_definer;
revoke execute on function app.take_profile_reads(text, bigint, int) from public;
grant execute on function app.take_profile_reads(text, bigint, int) to outrider_app;
