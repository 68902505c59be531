import type { EventKind } from '../event-kinds.ts';
import { type RoleUse, roleAllows } from '../role-scopes.ts';
import type { MemberRole } from '../vocabulary.ts';
import { NOTIFICATION_RULES } from './notification-rules.ts';
import type { Preferences } from './preferences.ts';

/** A member as the reader of events knows them. */
export interface Hearer {
  userId: string;
  memberId: string;
  role: MemberRole;
  /** Scopes that the member has at most; null: all of the role. */
  scopeLimit: readonly string[] | null;
  preferences: Preferences;
}

/** What of an event decides who is told. */
export interface Happening {
  kind: EventKind;
  /** A user or a key, or one of the house's words. */
  actor: string;
  /** Members or users that the event names; empty: it names nobody. */
  named: readonly string[];
  /** The scope that reads the kind. */
  scope: RoleUse['scope'];
}

const isManager = ({ role }: Hearer): boolean => role === 'owner' || role === 'admin';

/**
 * Who is told of an event: those whom it concerns and those who chose its kind, as far as they may read it and want it
 * by any channel. Nobody is told of what they did themselves, but for what is a matter of security.
 */
export function whoIsTold(happening: Happening, members: readonly Hearer[]): readonly Hearer[] {
  const { kind, actor, scope } = happening;
  const concerned = new Set(concernedBy(happening, members));
  const isOwnDeed = (member: Hearer): boolean =>
    member.userId === actor && NOTIFICATION_RULES[kind].audience === 'managers';
  return members.filter(
    (member) =>
      (concerned.has(member) || member.preferences.hasChosen(kind)) &&
      !isOwnDeed(member) &&
      mayHear(member, scope) &&
      member.preferences.channelsOf(kind).length > 0,
  );
}

/** Whether a member may be told what this scope reads, as they are now. */
export function mayHear({ role, scopeLimit }: Pick<Hearer, 'role' | 'scopeLimit'>, scope: string): boolean {
  return roleAllows(role, { scope }) && (scopeLimit === null || scopeLimit.includes(scope));
}

function concernedBy({ kind, actor, named }: Happening, members: readonly Hearer[]): readonly Hearer[] {
  const managers = members.filter(isManager);
  const doers = members.filter(({ userId }) => userId === actor);
  const { audience } = NOTIFICATION_RULES[kind];
  if (audience === 'managers') return managers;
  if (audience === 'doer') return doers.length > 0 ? doers : managers;
  if (audience === 'doer_and_managers') return [...doers, ...managers];
  if (audience === 'member' && named.length === 0) return managers;
  const asked = members.filter(({ userId, memberId }) => named.includes(userId) || named.includes(memberId));
  if (named.length > 0) return asked.length > 0 ? asked : managers;
  return members.filter((member) => isManager(member) || member.role === 'reviewer');
}
