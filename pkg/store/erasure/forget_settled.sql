-- Forgets words of sends and results of calls that were open when their person was erased or their workflow was
-- purged (erased_send), and whose outcome is known by now. A send is known too that nobody will decide about any more
-- (it counts as maybe, or a person discarded it), and, a day later (real time), what an executor of a deleted
-- workspace left behind, since no other executor comes. An open dead letter stays.
-- p_most: entries at most. Returns how many it emptied; 0 unless the caller is the platform. The operator's retention
-- calls it.
create or replace function app.forget_settled(p_most int) returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    known uuid[];
    calls int;
    subject app.erasure_subject;
  begin
    if not app.is_platform() then return 0; end if;
    with due as (
      select e.workspace_id, e.send_id
      from erased_send e
      left join send s on s.id = e.send_id
      left join node_call k on k.id = e.send_id
      cross join lateral (
        select exists (select 1 from workspace w where w.id = e.workspace_id and w.deleted_at is not null)
          and coalesce(s.dispatched_real, k.dispatched_real, '-infinity') < clock_timestamp() - interval '1 day'
          and coalesce(s.dead_letter_state, k.dead_letter_state, '') <> 'open' as left_behind
      ) l
      where (
          s.id is null
          or s.state not in ('dispatched', 'unknown')
          or s.maybe
          or s.dead_letter_state = 'discarded'
          or l.left_behind
        )
        and (k.id is null or k.state = 'settled' or l.left_behind)
      limit p_most
    ),
    done as (
      delete from erased_send e
      using due d
      where e.workspace_id = d.workspace_id and e.send_id = d.send_id
      returning e.send_id
    )
    select array_agg(send_id)
    into known
    from done;
    update node_call k set result = '{}', error = null where k.id = any (known);
    get diagnostics calls = row_count;
    subject.sends := known;
    perform app.erase_rows('outrider.send', 't.id = any (($1).sends)', 'empty', subject, false, null);
    return calls + (select count(*)::int from send s where s.id = any (known));
  end $$;

alter function app.forget_settled(int) owner to outrider_definer;
revoke execute on function app.forget_settled(int) from public;
grant execute on function app.forget_settled(int) to outrider_app, outrider_owner;
