-- Returns how many people the server of a calendar tells within 24 hours of what this service asks for, with a change
-- that is to be planned; 0 where that tells nobody, or the server invites nobody. A change whose attendees are not
-- known yet counts as one until the executor has seen them; what failed tells nobody. `p_wanted` as
-- calendar_change.wish; `p_now`: epoch ms, product time. The caller has checked whose calendar it is and holds its
-- lock.
create or replace function app.told_by_server(p_account text, p_kind text, p_wanted jsonb, p_now bigint) returns int
  language sql stable
  as $$
    select case
      when p_kind = 'answer'
        or p_wanted ->> 'notify' = 'false'
        or p_kind = 'create' and coalesce(jsonb_array_length(p_wanted -> 'attendees'), 0) = 0
        or not exists (select 1 from calendar_account a where a.id = p_account and a.server_invites)
        then 0
      else coalesce(jsonb_array_length(p_wanted -> 'attendees'), 1) + (
        select coalesce(
          sum(
            coalesce(
              jsonb_array_length(c.plan -> 'told') + jsonb_array_length(c.plan -> 'cancelled'),
              jsonb_array_length(c.wish -> 'attendees'),
              0
            )
          ),
          0
        )::int
        from calendar_change c
        where c.account_id = p_account
          and c.created_at > p_now - 86400000
          and c.kind <> 'answer'
          and c.state <> 'failed'
          and (c.wish ->> 'notify') is distinct from 'false'
      )
    end
  $$;

grant execute on function app.told_by_server(text, text, jsonb, bigint) to outrider_definer;
