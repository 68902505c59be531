-- Confirms dispatched sends of harmless actions (app.is_harmless) with whose runs the caller goes on by itself.
-- Nothing changes but the send, and what the account knows of a person whom it met by it. app.settle_sends settles
-- everything else.
-- `p_now`: epoch ms UTC, product time. The arrays are parallel: ids, outcomes of the node, references at the
-- provider, ids of the person there (null: nothing new). Returns those that it confirmed, with their dispatch (epoch
-- ms); others were settled or discarded meanwhile. OU001: the lease is stale.
create or replace function app.confirm_sends(
  p_now bigint, p_sends uuid[], p_outcomes text[], p_refs text[], p_providers text[]
)
  returns table (send_id uuid, dispatched_at bigint)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  #variable_conflict use_column
  declare ws text := app.workspace();
  begin
    if ws is null then raise exception 'claim is stale' using errcode = 'OU001'; end if;
    -- No index serves these conditions, so that the sends are found by their ids whatever the planner guesses of
    -- their states.
    return query
      with u as (
        update send s
        set
          state = 'confirmed',
          outcome = coalesce(q.outcome, s.outcome),
          provider_ref = coalesce(q.ref, s.provider_ref),
          settled_at = p_now,
          lookup_after = null,
          target = case
            when q.provider is null then s.target
            else s.target || jsonb_build_object('providerId', q.provider)
          end
        from unnest(p_sends, p_outcomes, p_refs, p_providers) as q (id, outcome, ref, provider)
        where s.id = q.id
          and (s.workspace_id = ws) is true
          and (s.state in ('dispatched', 'unknown')) is true
          and app.is_harmless(s.action)
          and s.dead_letter_state is distinct from 'discarded'
        returning s.id, s.dispatched_at, s.account_id, s.person_id, s.claimed_at, q.provider, s.target
      ),
      met as (
        -- As app.settle_sends does.
        insert into relation as r (account_id, person_id, provider_id, profile_id, state)
        select distinct on (u.account_id, u.person_id)
          u.account_id, u.person_id, u.provider, lower(u.target ->> 'publicId'), 'none'
        from u
        where u.provider is not null
        order by u.account_id, u.person_id, u.claimed_at desc
        on conflict (account_id, person_id) do update set
          provider_id = excluded.provider_id, profile_id = excluded.profile_id
      )
      select u.id, u.dispatched_at
      from u;
  end $$;

alter function app.confirm_sends(bigint, uuid[], text[], text[], text[]) owner to outrider_definer;
revoke execute on function app.confirm_sends(bigint, uuid[], text[], text[], text[]) from public;
grant execute on function app.confirm_sends(bigint, uuid[], text[], text[], text[]) to outrider_executor;
