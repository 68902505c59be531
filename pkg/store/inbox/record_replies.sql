-- Records a reply, which stops what is planned for the person in every workspace of the account: each agency that
-- knows the human hears it of its own person, once (app.same_at, app.hear_reply), and one that does not yet keeps that
-- they asked to stop. Source: catalog, contact policy (stopOnReply, stopCompanyOnReply) and enums.replyClass.
-- p_persons: who are one human to the account, as it met them; p_at: when they wrote; p_at, p_now and p_resume_at:
-- epoch ms, product time. Returns how many live runs it touched; 0 where the caller may not use the account. Locks: per
-- person, in order of their ids, as app.hear_reply.
create or replace function app.record_replies(
  p_now bigint, p_account text, p_persons uuid[], p_at bigint, p_class text, p_resume_at bigint
)
  returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    who uuid;
    touched int := 0;
  begin
    if not app.may_use_account(p_account) then return 0; end if;
    p_persons := array(
      select distinct coalesce(app.person_now(x.id), x.id)
      from (select u.id from unnest(p_persons) as u (id) order by 1) x
    );
    for who in
      select distinct s.id
      from unnest(p_persons) as x (id)
      cross join lateral app.same_at(p_account, x.id) as s (id)
      order by 1
    loop
      touched := touched + app.hear_reply(p_now, p_account, who, p_at, p_class, p_resume_at);
    end loop;
    if p_class = 'unsubscribe' then
      foreach who in array p_persons loop
        perform app.bar_profile_at(p_now, p_account, who, 'asked to stop', 'account-sync');
        perform app.bar_mail_at(p_now, p_account, who, 'asked to stop', 'account-sync');
      end loop;
    end if;
    return touched;
  end $$;

alter function app.record_replies(bigint, text, uuid[], bigint, text, bigint) owner to outrider_definer;
revoke execute on function app.record_replies(bigint, text, uuid[], bigint, text, bigint) from public;
grant execute on function app.record_replies(bigint, text, uuid[], bigint, text, bigint)
  to outrider_app, outrider_executor, outrider_owner;
