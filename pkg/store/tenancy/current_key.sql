-- Returns what app.admit_call tells of a key and its session, without counting, for requests that are no calls or
-- that Redis counts.
create or replace function app.current_key(
  p_key text, p_session bytea, OUT key_generation bigint, OUT user_generation bigint, OUT session_ended boolean
)
  returns record
  language plpgsql stable security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    session_ended := p_session is not null
      and exists (select 1 from session_end e where e.session_hash = p_session);
    select k.generation, u.generation
    into key_generation, user_generation
    from api_key k
    left join app_user u on u.id = k.user_id
    where k.id = app.key_id(p_key);
  end $$;

alter function app.current_key(text, bytea) owner to outrider_definer;
revoke execute on function app.current_key(text, bytea) from public;
grant execute on function app.current_key(text, bytea) to outrider_app;
