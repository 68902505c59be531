-- A key that an invitation gave had the scopes of the role of that day: who was made a member afterwards could write nothing, and could
-- make no key that can. What a role leaves of a key is judged at each call, so these keys carry what the others of their kind do.
set local search_path = outrider, app, public;

update outrider.api_key k set scopes = array['workspace:read', 'workspace:write', 'campaigns:read', 'campaigns:write', 'leads:read', 'leads:write',
    'lead_lists:read', 'lead_lists:write', 'workflows:read', 'workflows:write', 'icps:read', 'icps:write', 'content:read', 'content:write',
    'competitors:read', 'competitors:write', 'accounts:read', 'accounts:write', 'automations:read', 'automations:write', 'signals:read',
    'signals:write', 'inbox:read', 'inbox:write', 'integrations:read', 'integrations:write', 'notifications:read', 'notifications:write',
    'outreach:write', 'ext_integrations:read', 'ext_integrations:write']
  where k.revoked_at is null and k.only_workspaces is not null and 'workflows:write' = any (k.scopes) and not 'workspace:write' = any (k.scopes)
    and exists (select 1 from outrider.invitation i join outrider.app_user u on lower(u.email) = lower(i.email)
      where u.id = k.user_id and i.role = 'reviewer' and i.accepted_at = k.created_at and i.workspace_id = k.only_workspaces[1]);
