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

-- Whatever decides what a key may do raises a generation, whoever writes it (a tool, the operator, a person with SQL):
-- every replica then re-reads the key at its next call.
create function app.raise_generations() returns trigger
  language plpgsql security definer set search_path = outrider, app, pg_catalog
  as $$
  begin
    if tg_table_name = 'member' then
      update app_user u set generation = u.generation + 1 where u.id in (old.user_id, new.user_id);
    elsif tg_table_name = 'workspace' then
      update app_user u set generation = u.generation + 1 from member m where m.workspace_id = new.id and m.user_id = u.id;
      update api_key k set generation = k.generation + 1 where k.workspace_id = new.id;
    end if;
    return null;
  end $$;
alter function app.raise_generations() owner to outrider_definer;
revoke execute on function app.raise_generations() from public;

create trigger member_generation after insert or delete or update of role, user_id, workspace_id on outrider.member
  for each row execute function app.raise_generations();
create trigger workspace_generation after update on outrider.workspace
  for each row when (old.name is distinct from new.name or old.deleted_at is distinct from new.deleted_at)
  execute function app.raise_generations();

create function app.raise_own_generation() returns trigger
  language plpgsql set search_path = outrider, app, pg_catalog
  as $$
  begin
    new.generation := greatest(new.generation, old.generation + 1);
    return new;
  end $$;
create trigger api_key_generation before update on outrider.api_key
  for each row when (old.revoked_at is distinct from new.revoked_at or old.scopes is distinct from new.scopes)
  execute function app.raise_own_generation();
create trigger app_user_generation before update on outrider.app_user
  for each row when ((old.platform_admin, old.name, old.email) is distinct from (new.platform_admin, new.name, new.email))
  execute function app.raise_own_generation();
