-- What a request without a call (ping, tools/list, a stream) must know in one round trip: whether its session was
-- closed, and the generations of key and user. Requests that are counted elsewhere (Redis) ask it too.
set local search_path = outrider, app, public;

create function app.current_key(p_key text, p_session bytea,
    out key_generation bigint, out user_generation bigint, out session_ended boolean)
  language plpgsql stable security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    session_ended := p_session is not null and exists (select 1 from session_end e where e.session_hash = p_session);
    select k.generation, u.generation into key_generation, user_generation
      from api_key k left join app_user u on u.id = k.user_id where k.id::text = p_key;
  end $$;
alter function app.current_key(text, bytea) owner to outrider_definer;
revoke execute on function app.current_key(text, bytea) from public;
grant execute on function app.current_key(text, bytea) to outrider_app;
