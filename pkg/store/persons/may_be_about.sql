-- Says whether an exclusion of this moment (epoch ms, product time) came with what happened to a lead: its run ended
-- then, it asked to stop, or it was erased. For a person who is split into several.
create or replace function app.may_be_about(p_at bigint, p_workspace text, p_lead uuid) returns boolean
  language sql stable
  as $$
    select exists (
        select 1
        from run r
        where r.workspace_id = p_workspace
          and r.lead_id = p_lead
          and (
            r.ended_at = p_at and r.state = 'suppressed'
            or r.facts ->> 'replyClass' = 'unsubscribe' and (r.facts ->> 'lastReplyAt')::bigint <= p_at
          )
      )
      or exists (select 1 from lead l where l.id = p_lead and l.erased_at = p_at)
  $$;

grant execute on function app.may_be_about(bigint, text, uuid) to outrider_definer;
