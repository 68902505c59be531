import type { MemberRole } from './vocabulary.ts';

/** Whether a role leaves a scope to its member: reviewers read everything and decide drafts, the others may what their key may. */
export function roleAllows(role: MemberRole, scope: string): boolean {
  return role !== 'reviewer' || scope === 'none' || scope.endsWith(':read') || scope === 'workflows:write';
}
