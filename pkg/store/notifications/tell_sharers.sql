-- Tells the owners and admins of the other workspaces that share an account what its owner's workspace (p_from) did.
-- They learn nothing of that workspace. The same origin tells each of them once. p_now: epoch ms, product time.
create or replace function app.tell_sharers(
  p_account text, p_from text, p_kind text, p_title text, p_text text, p_next_tool text, p_origin text, p_now bigint
)
  returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    if not app.may_use(p_from) or app.account_owner(p_account) is distinct from p_from then
      raise exception 'not the owner of the account';
    end if;
    insert into notification (id, workspace_id, user_id, kind, title, text, data, next_tool, origin, created_at)
    select
      gen_random_uuid(), m.workspace_id, m.user_id, p_kind, p_title, p_text,
      jsonb_build_object('networkAccountId', p_account), p_next_tool, p_origin, p_now
    from account_link l
    join member m on m.workspace_id = l.workspace_id and m.role in ('owner', 'admin')
    where l.account_id = p_account and l.workspace_id <> p_from
    on conflict do nothing;
  end $$;

alter function app.tell_sharers(text, text, text, text, text, text, text, bigint) owner to outrider_definer;
revoke execute on function app.tell_sharers(text, text, text, text, text, text, text, bigint) from public;
grant execute on function app.tell_sharers(text, text, text, text, text, text, text, bigint) to outrider_app;
