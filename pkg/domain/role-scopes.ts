import type { MemberRole } from './vocabulary.ts';

/** What a role is asked about: a tool, by what it declares. */
export interface RoleUse {
  /** `{domain}:{action}`, or `none`. */
  scope: string;
  /** Whether it is a part of deciding drafts. */
  decidesDrafts?: true | undefined;
}

/**
 * Whether a role leaves a tool to its member: reviewers read everything and decide drafts, the others may what their key may.
 * The scope alone does not tell: that of deciding drafts also starts, changes and deletes workflows.
 */
export function roleAllows(role: MemberRole, { scope, decidesDrafts }: RoleUse): boolean {
  return role !== 'reviewer' || scope === 'none' || scope.endsWith(':read') || decidesDrafts === true;
}
