-- Whether a request would go on, for this campaign, with a conversation that another one had: the person answered in
-- it, and the last to write through the account was a workflow of another campaign, in whichever workspace. A person
-- takes the conversation over by resuming the run that was held for it (fact `purposeHeldAt`), or by a graph that hands
-- the lead over (`sequenceFrom`). For app.judge_sends.
create or replace function app.of_another_purpose(
  p_run uuid, p_action text, p_person uuid, p_account text, p_campaign text
)
  returns boolean
  language sql stable
  as $$
    select p_action in ('message', 'inmail', 'mail')
      and coalesce(
        (
          select g.campaign_id <> p_campaign
          from contact_log g
          where g.person_id = p_person and g.account_id = p_account and g.workflow_id not like 'action:%'
          order by g.last_at desc limit 1
        ),
        false
      )
      and exists (
        select 1
        from conversation c
        join message m on m.conversation_id = c.id and m.direction = 'in'
        where c.person_id = p_person and c.account_id = p_account
      )
      and exists (
        select 1
        from run r
        where r.id = p_run and not r.facts ?| array['purposeHeldAt', 'sequenceFrom']
      )
  $$;

grant execute on function app.of_another_purpose(uuid, text, uuid, text, text) to outrider_definer;
