-- Lets an account rest until p_until (product time, epoch ms) in all workspaces, because its provider signalled a
-- limit or servers refuse it; it never shortens a rest. p_reason: why, for people; '' where nobody knows more. It does
-- nothing for an account that neither the lease's workspace uses nor account sync holds.
create or replace function app.cool_account(p_account text, p_until bigint, p_reason text) returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  begin
    if app.account() is distinct from p_account
      and not exists (
        select 1
        from account_link l
        where l.account_id = p_account and l.workspace_id = app.workspace()
      )
    then
      return;
    end if;
    update network_account
    set cooldown_until = p_until, cooldown_reason = left(p_reason, 500)
    where id = p_account and coalesce(cooldown_until, 0) < p_until;
  end $$;

alter function app.cool_account(text, bigint, text) owner to outrider_definer;
revoke execute on function app.cool_account(text, bigint, text) from public;
grant execute on function app.cool_account(text, bigint, text) to outrider_executor;

-- As executors of 0.2.0 call it, which know no reason. It goes a release later.
create or replace function app.cool_account(p_account text, p_until bigint) returns void
  language sql security definer
  set search_path = outrider, app, pg_catalog
  as $$ select app.cool_account(p_account, p_until, '') $$;

alter function app.cool_account(text, bigint) owner to outrider_definer;
revoke execute on function app.cool_account(text, bigint) from public;
grant execute on function app.cool_account(text, bigint) to outrider_executor;
