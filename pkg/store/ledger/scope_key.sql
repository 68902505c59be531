-- Returns the key of the contact claim at the dedupeScope of a campaign's settings (catalog: contact policy). With
-- scope account the caller appends the account's id where it passes '' for it; null makes the key null. An agency
-- that nobody named counts as the workspace.
create or replace function app.scope_key(
  p_settings jsonb, p_campaign text, p_workspace text, p_agency text, p_account text
)
  returns text
  language sql immutable
  as $$
    select case app.dedupe_scope(p_settings)
      when 'campaign' then 'campaign:' || p_campaign
      when 'account' then 'account:' || p_account
      when 'agency'
        then case when p_agency is null then 'workspace:' || p_workspace else 'agency:' || p_agency end
      else 'workspace:' || p_workspace
    end
  $$;

grant execute on function app.scope_key(jsonb, text, text, text, text)
  to outrider_app, outrider_definer, outrider_executor;
