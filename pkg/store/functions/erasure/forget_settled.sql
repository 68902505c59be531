create or replace function app.forget_settled(p_most int) returns int
  language plpgsql security definer set search_path = outrider, app, pg_catalog
  as $$
  declare known uuid[];
  begin
    if not app.is_platform() then return 0; end if;
    with due as (
      select e.workspace_id, e.send_id from erased_send e left join send s on s.id = e.send_id
        where s.id is null or s.state not in ('dispatched', 'unknown') or s.maybe or s.dead_letter_state = 'discarded' limit p_most
    ),
    done as (delete from erased_send e using due d where e.workspace_id = d.workspace_id and e.send_id = d.send_id returning e.send_id)
    select array_agg(send_id) into known from done;
    return coalesce(app.forget_words(known), 0);
  end $$;
alter function app.forget_settled(int) owner to outrider_definer;
revoke execute on function app.forget_settled(int) from public;
grant execute on function app.forget_settled(int) to outrider_app, outrider_owner;
