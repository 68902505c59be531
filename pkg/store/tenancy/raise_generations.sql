-- Trigger: a change of a membership, or of what a workspace decides for keys (name, deletion, limits), raises the
-- generations of the users and keys that it is about, whether a tool, the operator or a person with SQL writes it.
-- Every server then reads them again at their next call.
create or replace function app.raise_generations() returns trigger
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    if tg_table_name = 'member' then
      update app_user u
      set generation = u.generation + 1
      where u.id in (old.user_id, new.user_id);
    elsif tg_table_name = 'workspace' then
      -- It locks in one order, since workspaces of the same people change at once.
      perform 1
      from app_user u
      where u.id in (select m.user_id from member m where m.workspace_id = new.id)
      order by u.id for no key update;
      update app_user u
      set generation = u.generation + 1
      from member m
      where m.workspace_id = new.id and m.user_id = u.id;
      update api_key k set generation = k.generation + 1 where k.workspace_id = new.id;
    end if;
    return null;
  end $$;

alter function app.raise_generations() owner to outrider_definer;
revoke execute on function app.raise_generations() from public;
