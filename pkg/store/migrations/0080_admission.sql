-- Request limits: one row per key instead of one per category, so that a call takes one lock, and a key is found by its
-- index, also among a hundred thousand. Whatever changes what a key may do is announced, so that servers stamp their caches.
set local search_path = outrider, app, public;

drop function app.admit(text, text, int, int, int, bytea);
drop table outrider.rate_window;

-- One window per key for all categories: 60 s from the key's first counted call. Also used while Redis is away.
create unlogged table outrider.request_count (
  -- A key's id, or `<key>@<workspace>` for a workspace's own limits on a user key.
  key_id text primary key,
  started timestamptz not null,
  -- read, write, llm, overall
  used int[] not null
) with (fillfactor = 50);
alter table outrider.request_count enable row level security;
alter table outrider.request_count force row level security;
create policy owner_all on outrider.request_count to outrider_owner using (true) with check (true);
create policy app_all on outrider.request_count to outrider_app using (true) with check (true);
create policy definer_all on outrider.request_count to outrider_definer using (true) with check (true);
grant select, insert, update, delete on outrider.request_count to outrider_app, outrider_definer;

-- Windows are also kept for names that are no key's id (a key in a workspace, a key's sessions).
create function app.key_id(p_key text) returns uuid language sql immutable
  as $$ select case when p_key ~ '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' then p_key::uuid end $$;
grant execute on function app.key_id(text) to outrider_app, outrider_definer;

-- Counts one call as p_index (1 read, 2 write, 3 llm) and overall, or refuses it and counts nothing. Where both are
-- full, overall is named: no other category would be let through either.
create function app.admit_call(p_key text, p_index int, p_limit int, p_overall int, p_session bytea,
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
alter function app.admit_call(text, int, int, int, bytea) owner to outrider_definer;
revoke execute on function app.admit_call(text, int, int, int, bytea) from public;
grant execute on function app.admit_call(text, int, int, int, bytea) to outrider_app;

-- Delivered at commit: before the answer to the connection that wrote, soon after to all others.
create function app.announce_generation() returns trigger
  language plpgsql security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    if tg_table_name = 'api_key' then
      perform pg_notify('outrider_generation', new.id::text);
    else
      perform pg_notify('outrider_generation', k.id::text) from api_key k where k.user_id = new.id and k.revoked_at is null;
    end if;
    return null;
  end $$;
alter function app.announce_generation() owner to outrider_definer;
revoke execute on function app.announce_generation() from public;
create trigger api_key_announced after update on outrider.api_key
  for each row when (old.generation is distinct from new.generation) execute function app.announce_generation();
create trigger app_user_announced after update on outrider.app_user
  for each row when (old.generation is distinct from new.generation) execute function app.announce_generation();

-- A workspace's limits bind its keys from the next call on.
create trigger workspace_limits_generation after update of limits on outrider.workspace
  for each row when (old.limits is distinct from new.limits) execute function app.raise_generations();

-- The workspace of a record, for limits only: the caller learns nothing from it. Tables are named after their records.
create function app.record_workspace(p_table text, p_id text) returns text
  language plpgsql stable security definer set search_path = outrider, app, pg_catalog
  as $$
  declare found_workspace text;
  begin
    if p_table = 'import' then p_table := 'lead_import'; end if;
    if not exists (select 1 from pg_attribute a where a.attrelid = to_regclass('outrider.' || quote_ident(p_table))
        and a.attname = 'workspace_id' and not a.attisdropped) then return null; end if;
    execute format('select workspace_id from outrider.%I where id::text = $1', p_table) into found_workspace using p_id;
    return found_workspace;
  end $$;
alter function app.record_workspace(text, text) owner to outrider_definer;
revoke execute on function app.record_workspace(text, text) from public;
grant execute on function app.record_workspace(text, text) to outrider_app;

create or replace function app.current_key(p_key text, p_session bytea,
    out key_generation bigint, out user_generation bigint, out session_ended boolean)
  language plpgsql stable security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    session_ended := p_session is not null and exists (select 1 from session_end e where e.session_hash = p_session);
    select k.generation, u.generation into key_generation, user_generation
      from api_key k left join app_user u on u.id = k.user_id where k.id = app.key_id(p_key);
  end $$;
