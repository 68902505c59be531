-- Counts one call in the key's window of 60 s, or refuses it and counts nothing (specification: rate limits per key
-- and minute). The window begins with its first counted call. One round trip so also tells whether what a server
-- remembers of the key still holds.
-- p_key: a key's id, or `<key>@<workspace>` for a workspace's limits on a user key. p_index: 1 read, 2 write, 3 llm;
-- p_limit: calls of that kind a window, p_overall: of all. p_session: hash of the session, null without one.
-- refused: null, the p_index whose limit is reached, or 4 for all calls, which comes first, since no other kind would
-- be let through either; retry_ms: until the window ends. key_generation, user_generation: as of now, null for what
-- is no key, or for a key without a user; session_ended: the session was closed.
create or replace function app.admit_call(
  p_key text, p_index int, p_limit int, p_overall int, p_session bytea, OUT refused int, OUT retry_ms int,
  OUT key_generation bigint, OUT user_generation bigint, OUT session_ended boolean
)
  returns record
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    right_now timestamptz;
    began timestamptz;
    u int[];
  begin
    select
      k.generation,
      g.generation,
      p_session is not null and exists (select 1 from session_end e where e.session_hash = p_session)
    into key_generation, user_generation, session_ended
    from (select) as always
    left join api_key k on k.id = app.key_id(p_key)
    left join app_user g on g.id = k.user_id;
    loop
      select c.started, c.used
      into began, u
      from request_count c
      where c.key_id = p_key
      for update;
      exit when found;
      insert into request_count
      values (p_key, '-infinity', array[0, 0, 0, 0])
      on conflict do nothing;
    end loop;
    -- It reads the clock after it waited for the row, so that no window turns while another call holds it.
    right_now := clock_timestamp();
    -- A window that is still to begin is from before the clock was set back.
    if right_now >= began + interval '60 seconds' or right_now < began then
      began := right_now;
      u := array[0, 0, 0, 0];
    end if;
    if u[4] >= p_overall then
      refused := 4;
    elsif u[p_index] >= p_limit then
      refused := p_index;
    end if;
    if refused is not null then
      retry_ms := ceil(extract(epoch from began + interval '60 seconds' - right_now) * 1000);
      return;
    end if;
    u[p_index] := u[p_index] + 1;
    u[4] := u[4] + 1;
    update request_count c set started = began, used = u where c.key_id = p_key;
  end $$;

alter function app.admit_call(text, int, int, int, bytea) owner to outrider_definer;
revoke execute on function app.admit_call(text, int, int, int, bytea) from public;
grant execute on function app.admit_call(text, int, int, int, bytea) to outrider_app;
