/** Every scope that a key may carry (`*` is reserved for internal callers). Source: catalog `scopes`. */
export const ALL_SCOPES = [
  'workspace:read',
  'workspace:write',
  'campaigns:read',
  'campaigns:write',
  'leads:read',
  'leads:write',
  'lead_lists:read',
  'lead_lists:write',
  'workflows:read',
  'workflows:write',
  'icps:read',
  'icps:write',
  'content:read',
  'content:write',
  'competitors:read',
  'competitors:write',
  'accounts:read',
  'accounts:write',
  'automations:read',
  'automations:write',
  'signals:read',
  'signals:write',
  'inbox:read',
  'inbox:write',
  'integrations:read',
  'integrations:write',
  'notifications:read',
  'notifications:write',
  'outreach:write',
  'ext_integrations:read',
  'ext_integrations:write',
  'admin:read',
  'admin:write',
] as const;

/** One scope, `{domain}:{action}`. */
export type Scope = (typeof ALL_SCOPES)[number];

/** Whether a scope is the platform's: only platform admins hold it, and only user keys carry it. Source: specification, Authentication 5. */
export function isAdminScope(scope: string): boolean {
  return scope.startsWith('admin:');
}

/** What may be held in a workspace: every scope but the platform's. */
export const TENANT_SCOPES: readonly Scope[] = ALL_SCOPES.filter((scope) => !isAdminScope(scope));

/** What looks and changes nothing. */
export const READING_SCOPES: readonly Scope[] = TENANT_SCOPES.filter((scope) => scope.endsWith(':read'));
