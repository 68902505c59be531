-- A report that names an address and no mail of ours kept the address when its person was erased: reports went by the mails that they were about.
-- Those of mailboxes that no other workspace shares go by the address as well.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.erase_lead(text, uuid, bigint, boolean)'::regprocedure);
  after := replace(before, '    -- Who must not be contacted is known by the tombstone.
', '    update mail_report m set address = '''', reason = '''' where m.address = lower(l.email)
      and exists (select 1 from account_link k where k.account_id = m.account_id and k.workspace_id = p_workspace)
      and not exists (select 1 from account_link k join workspace w on w.id = k.workspace_id and w.deleted_at is null
        where k.account_id = m.account_id and k.workspace_id <> p_workspace);
    -- Who must not be contacted is known by the tombstone.
');
  if after = before then raise exception 'app.erase_lead does not read as expected'; end if;
  execute after;
end $$;
