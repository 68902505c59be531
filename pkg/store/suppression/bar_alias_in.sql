-- Keeps in a workspace that the one who bears an address or a profile asked to stop, once. p_kind: mail (p_value is a
-- hash) or profile; p_now: epoch ms, product time; p_reason and p_by as in the exclusion. Only functions that have
-- asked call it.
create or replace function app.bar_alias_in(
  p_workspace text, p_kind text, p_value text, p_reason text, p_by text, p_now bigint
)
  returns void
  language sql security definer
  set search_path = outrider, app, pg_catalog
  as $$
    insert into suppression (
      id, workspace_id, level, kind, value, source, reason, removable, created_by, created_at
    )
    select
      gen_random_uuid(), p_workspace, 'workspace', p_kind, p_value, 'unsubscribe', p_reason,
      app.is_removable('unsubscribe'), p_by, p_now
    where not exists (
      select 1
      from suppression x
      where x.kind = p_kind
        and x.value = p_value
        and x.workspace_id = p_workspace
        and x.source = 'unsubscribe'
    )
  $$;

alter function app.bar_alias_in(text, text, text, text, text, bigint) owner to outrider_definer;
revoke execute on function app.bar_alias_in(text, text, text, text, text, bigint) from public;
