-- Keeps what somebody found a reply to be, a person or a model, and tells it in the workspace (event
-- `reply.classified`) where the class is another than before. The rules' word stays: who wants to be left alone, or is
-- away, is nothing else to a model; and no model's word bars anybody, so that those two classes are not taken.
-- p_message: a message that came in; p_lead: whose it is in the workspace, null: nobody's, then nobody is told. p_now:
-- epoch ms UTC, product time. Returns whether the class changed. Locks: the message, then its conversation.
create or replace function app.class_reply(
  p_workspace text, p_message uuid, p_lead uuid, p_class text, p_actor text, p_now bigint
)
  returns boolean
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_index
  as $$
  declare
    m record;
  begin
    if not app.may_use(p_workspace) then
      raise exception 'no access to this workspace' using errcode = '42501';
    end if;
    select x.conversation_id, x.account_id, x.reply_class, x.sent_at
    into m
    from message x
    where x.id = p_message and x.direction = 'in'
    for no key update;
    if not found
      or not app.may_use_account(m.account_id)
      or p_class not in ('positive', 'neutral', 'negative', 'referral')
      or m.reply_class in ('unsubscribe', 'out_of_office')
      or m.reply_class is not distinct from p_class
    then
      return false;
    end if;
    update message set reply_class = p_class where id = p_message;
    update conversation c
    set reply_class = p_class
    where c.id = m.conversation_id
      and not exists (
        select 1
        from message n
        where n.conversation_id = c.id and n.direction = 'in' and n.sent_at > m.sent_at
      );
    if p_lead is not null then
      insert into run_event (workspace_id, at, kind, actor, data)
      values (
        p_workspace,
        p_now,
        'reply.classified',
        p_actor,
        jsonb_build_object('leadId', p_lead, 'conversationId', m.conversation_id, 'class', p_class)
      );
    end if;
    return true;
  end $$;

alter function app.class_reply(text, uuid, uuid, text, text, bigint) owner to outrider_definer;
revoke execute on function app.class_reply(text, uuid, uuid, text, text, bigint) from public;
grant execute on function app.class_reply(text, uuid, uuid, text, text, bigint) to outrider_app, outrider_executor;
