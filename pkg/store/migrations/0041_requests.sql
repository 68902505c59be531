-- One round trip per call: request limits, ended sessions, generations of key and user.
set local search_path = outrider, app, public;

-- Sessions that were closed or idled out; the token itself needs no store.
create unlogged table outrider.session_end (
  session_hash bytea primary key,
  ended_at timestamptz not null default clock_timestamp()
);
alter table outrider.session_end enable row level security;
alter table outrider.session_end force row level security;
create policy owner_all on outrider.session_end to outrider_owner using (true) with check (true);
create policy app_all on outrider.session_end to outrider_app using (true) with check (true);
create policy definer_all on outrider.session_end to outrider_definer using (true) with check (true);
grant select, insert, delete on outrider.session_end to outrider_app, outrider_definer;

-- Counts p_count calls of a key against its category and against all of them (fixed window of 60 s from the first
-- call). Refused calls do not count. p_limit < 0: no limit.
create function app.admit(p_key text, p_category text, p_limit int, p_overall int, p_count int, p_session bytea,
    out refused text, out retry_seconds int, out key_generation bigint, out user_generation bigint, out session_ended boolean)
  language plpgsql volatile security definer set search_path = outrider, app, pg_catalog
  as $$
  declare
    w record;
    most int;
  begin
    session_ended := p_session is not null and exists (select 1 from session_end e where e.session_hash = p_session);
    select k.generation, u.generation into key_generation, user_generation
      from api_key k left join app_user u on u.id = k.user_id where k.id::text = p_key;
    insert into rate_window (key_id, category, started_at, used) values (p_key, p_category, clock_timestamp(), 0), (p_key, 'overall', clock_timestamp(), 0)
      on conflict do nothing;
    for w in select r.category, r.started_at, r.used from rate_window r where r.key_id = p_key and r.category in (p_category, 'overall')
        order by r.category for update loop
      most := case when w.category = 'overall' then p_overall else p_limit end;
      if w.started_at <= clock_timestamp() - interval '60 seconds' then
        update rate_window r set started_at = clock_timestamp(), used = 0 where r.key_id = p_key and r.category = w.category;
        w.used := 0; w.started_at := clock_timestamp();
      end if;
      if most >= 0 and w.used + p_count > most and refused is null then
        refused := w.category;
        retry_seconds := greatest(1, ceil(extract(epoch from w.started_at + interval '60 seconds' - clock_timestamp())))::int;
      end if;
    end loop;
    if refused is null then
      update rate_window r set used = r.used + p_count where r.key_id = p_key and r.category in (p_category, 'overall');
    end if;
  end $$;
alter function app.admit(text, text, int, int, int, bytea) owner to outrider_definer;
revoke execute on function app.admit(text, text, int, int, int, bytea) from public;
grant execute on function app.admit(text, text, int, int, int, bytea) to outrider_app;
