-- Records a reply of one person, as app.record_replies of several whom an account takes for one human.
create or replace function app.record_reply(
  p_now bigint, p_account text, p_person uuid, p_at bigint, p_class text, p_resume_at bigint
)
  returns int
  language sql security definer
  set search_path = outrider, app, pg_catalog
  as $$ select app.record_replies(p_now, p_account, array[p_person], p_at, p_class, p_resume_at) $$;

alter function app.record_reply(bigint, text, uuid, bigint, text, bigint) owner to outrider_definer;
revoke execute on function app.record_reply(bigint, text, uuid, bigint, text, bigint) from public;
grant execute on function app.record_reply(bigint, text, uuid, bigint, text, bigint)
  to outrider_app, outrider_executor, outrider_owner;
