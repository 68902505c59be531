-- Counts one call in the key's window of 60 s and in that of the key's owner, or refuses it and counts nothing
-- (specification: rate limits per key and minute). A window begins with its first counted call. One round trip so also
-- tells whether what a server remembers of the key still holds.
-- p_key: a key's id, or `<key>@<workspace>` for a workspace's limits on a user key. p_index: 1 read, 2 write, 3 llm;
-- p_limit: calls of that kind a window, p_overall: of all. p_session: hash of the session, null without one.
-- p_owner: window that all keys of a user or a workspace share, with p_times the limits of one key; null: none.
-- refused: null, the p_index whose limit is reached, or 4 for all calls, which comes first, since no other kind would
-- be let through either; by_owner: that of the owner; retry_ms: until the window ends. key_generation,
-- user_generation: as of now, null for what is no key, or for a key without a user; session_ended: the session was
-- closed.
create or replace function app.count_call(
  p_key text, p_index int, p_limit int, p_overall int, p_session bytea, p_owner text, p_times int,
  OUT refused int, OUT by_owner boolean, OUT retry_ms int,
  OUT key_generation bigint, OUT user_generation bigint, OUT session_ended boolean
)
  returns record
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    right_now timestamptz;
    k request_count;
    o request_count;
  begin
    select
      a.generation,
      g.generation,
      p_session is not null and exists (select 1 from session_end e where e.session_hash = p_session)
    into key_generation, user_generation, session_ended
    from (select) as always
    left join api_key a on a.id = app.key_id(p_key)
    left join app_user g on g.id = a.user_id;
    -- The key's comes first for everybody, so that two calls never wait for each other.
    k := app.lock_window(p_key);
    if p_owner is not null then o := app.lock_window(p_owner); end if;
    -- It reads the clock after it waited for the rows, so that no window turns while another call holds it.
    right_now := clock_timestamp();
    -- A window that is still to begin is from before the clock was set back.
    if right_now >= k.started + interval '60 seconds' or right_now < k.started then
      k.started := right_now;
      k.used := array[0, 0, 0, 0];
    end if;
    if right_now >= o.started + interval '60 seconds' or right_now < o.started then
      o.started := right_now;
      o.used := array[0, 0, 0, 0];
    end if;
    by_owner := false;
    if k.used[4] >= p_overall then
      refused := 4;
    elsif k.used[p_index] >= p_limit then
      refused := p_index;
    elsif o.used[4] >= p_overall::bigint * p_times then
      refused := 4;
      by_owner := true;
    elsif o.used[p_index] >= p_limit::bigint * p_times then
      refused := p_index;
      by_owner := true;
    end if;
    if refused is not null then
      retry_ms := ceil(
        extract(
          epoch from case when by_owner then o.started else k.started end + interval '60 seconds' - right_now
        ) * 1000
      );
      return;
    end if;
    k.used[p_index] := k.used[p_index] + 1;
    k.used[4] := k.used[4] + 1;
    update request_count c set started = k.started, used = k.used where c.key_id = p_key;
    if p_owner is null then return; end if;
    o.used[p_index] := o.used[p_index] + 1;
    o.used[4] := o.used[4] + 1;
    update request_count c set started = o.started, used = o.used where c.key_id = p_owner;
  end $$;

alter function app.count_call(text, int, int, int, bytea, text, int) owner to outrider_definer;
revoke execute on function app.count_call(text, int, int, int, bytea, text, int) from public;
grant execute on function app.count_call(text, int, int, int, bytea, text, int) to outrider_app;
