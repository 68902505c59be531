-- Takes the send keys of granted requests, in their order; of several with one key the first has it. Returns the
-- sends that have theirs. p_now: epoch ms, product time. app.take_sends calls it.
create or replace function app.take_send_keys(p_workspace text, p_now bigint, p_granted app.judged_send[])
  returns uuid[]
  language sql
  as $$
    with k as (
      insert into send_key (key, person_id, workspace_id, send_id, taken_at)
      select g.send_key, g.person_id, p_workspace, g.send_id, p_now
      from unnest(p_granted) g
      order by g.send_key, g.ord
      on conflict do nothing
      returning send_id
    )
    select coalesce(array_agg(send_id), '{}')
    from k
  $$;

grant execute on function app.take_send_keys(text, bigint, app.judged_send[]) to outrider_definer;
