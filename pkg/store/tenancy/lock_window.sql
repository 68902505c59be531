-- Returns the window of this name, locked until the transaction ends; made where it is not there.
create or replace function app.lock_window(p_name text) returns request_count
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare w request_count;
  begin
    loop
      select *
      into w
      from request_count c
      where c.key_id = p_name
      for update;
      exit when found;
      insert into request_count
      values (p_name, '-infinity', array[0, 0, 0, 0])
      on conflict do nothing;
    end loop;
    return w;
  end $$;

alter function app.lock_window(text) owner to outrider_definer;
revoke execute on function app.lock_window(text) from public;
