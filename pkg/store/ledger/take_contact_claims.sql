-- Takes the contact claims of granted requests whose runs do not have them yet, by person and scope: those that are
-- free, and those whose holder has released them and whose rest is over. Returns the sends whose runs have theirs.
-- p_now: epoch ms, product time. app.take_sends calls it.
create or replace function app.take_contact_claims(p_workspace text, p_now bigint, p_granted app.judged_send[])
  returns uuid[]
  language plpgsql
  as $$
  #variable_conflict use_column
  declare taken uuid[];
  begin
    if not exists (select 1 from unnest(p_granted) g where not g.holds_claim) then
      return array(select g.send_id from unnest(p_granted) g);
    end if;
    with g as materialized (select * from unnest(p_granted)),
    c as (
      insert into contact_claim as c (scope_key, person_id, workspace_id, run_id, taken_at)
      select distinct on (g.person_id, g.scope_key)
        g.scope_key, g.person_id, p_workspace, g.run_id, p_now
      from g
      where not g.holds_claim
      order by g.person_id, g.scope_key, g.run_id
      on conflict (scope_key, person_id) do update set
        workspace_id = excluded.workspace_id,
        run_id = excluded.run_id,
        released_at = null
        where c.run_id = excluded.run_id
          or (c.released_at is not null and coalesce(c.cool_until, 0) <= p_now)
      returning c.run_id
    )
    select coalesce(array_agg(g.send_id), '{}')
    into taken
    from g
    where g.holds_claim or g.run_id in (select c.run_id from c);
    return taken;
  end $$;

grant execute on function app.take_contact_claims(text, bigint, app.judged_send[]) to outrider_definer;
