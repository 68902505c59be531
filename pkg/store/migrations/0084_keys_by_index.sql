-- A key is found by its index, also among a hundred thousand; comparing its id as text read the whole table.
set local search_path = outrider, app, public;

-- Windows are also kept for names that are no key's id (a key in a workspace, a key's sessions).
create function app.key_id(p_key text) returns uuid language sql immutable
  as $$ select case when p_key ~ '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' then p_key::uuid end $$;
grant execute on function app.key_id(text) to outrider_app, outrider_definer;

-- Counts one call as p_index (1 read, 2 write, 3 llm) and overall, or refuses it and counts nothing. Where both are
-- full, overall is named: no other category would be let through either.
create or replace function app.admit_call(p_key text, p_index int, p_limit int, p_overall int, p_session bytea,
    out refused int, out retry_ms int, out key_generation bigint, out user_generation bigint, out session_ended boolean)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    right_now timestamptz;
    began timestamptz;
    u int[];
  begin
    select k.generation, g.generation, p_session is not null and exists (select 1 from session_end e where e.session_hash = p_session)
      into key_generation, user_generation, session_ended
      from (select) as always left join api_key k on k.id = app.key_id(p_key) left join app_user g on g.id = k.user_id;
    loop
      select c.started, c.used into began, u from request_count c where c.key_id = p_key for update;
      exit when found;
      insert into request_count values (p_key, '-infinity', array[0, 0, 0, 0]) on conflict do nothing;
    end loop;
    -- After the wait for the row, so that no window turns while another call holds it.
    right_now := clock_timestamp();
    if began + interval '60 seconds' <= right_now then
      began := right_now;
      u := array[0, 0, 0, 0];
    end if;
    if u[4] >= p_overall then refused := 4; elsif u[p_index] >= p_limit then refused := p_index; end if;
    if refused is not null then
      retry_ms := ceil(extract(epoch from began + interval '60 seconds' - right_now) * 1000);
      return;
    end if;
    u[p_index] := u[p_index] + 1;
    u[4] := u[4] + 1;
    update request_count c set started = began, used = u where c.key_id = p_key;
  end $$;

create or replace function app.current_key(p_key text, p_session bytea,
    out key_generation bigint, out user_generation bigint, out session_ended boolean)
  language plpgsql stable security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    session_ended := p_session is not null and exists (select 1 from session_end e where e.session_hash = p_session);
    select k.generation, u.generation into key_generation, user_generation
      from api_key k left join app_user u on u.id = k.user_id where k.id = app.key_id(p_key);
  end $$;
