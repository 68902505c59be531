-- As app.count_call, without a window of the key's owner: for servers of the version before.
create or replace function app.admit_call(
  p_key text, p_index int, p_limit int, p_overall int, p_session bytea, OUT refused int, OUT retry_ms int,
  OUT key_generation bigint, OUT user_generation bigint, OUT session_ended boolean
)
  returns record
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    select c.refused, c.retry_ms, c.key_generation, c.user_generation, c.session_ended
    into refused, retry_ms, key_generation, user_generation, session_ended
    from app.count_call(p_key, p_index, p_limit, p_overall, p_session, null, 1) c;
  end $$;

alter function app.admit_call(text, int, int, int, bytea) owner to outrider_definer;
revoke execute on function app.admit_call(text, int, int, int, bytea) from public;
grant execute on function app.admit_call(text, int, int, int, bytea) to outrider_app;
