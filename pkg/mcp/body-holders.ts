import type { Caller } from '../tools/tool-context.ts';

/** The most that one user and one workspace may have of something. */
export interface HolderBounds {
  perUser: number;
  perWorkspace: number;
}

/**
 * Who holds the bodies of a caller: his user, and each workspace that the key opens, since nobody knows before the body is read
 * which of them a call is about. Keys are no holders: one user can have many.
 */
export function holdersOf({ user, workspaces }: Pick<Caller, 'user' | 'workspaces'>): string[] {
  const holders = workspaces.map(({ workspaceId }) => `workspace ${workspaceId}`);
  if (user) holders.push(`user ${user.id}`);
  return holders;
}

/** What a holder may have at most. */
export function mostOf({ perUser, perWorkspace }: HolderBounds): (holder: string) => number {
  return (holder) => (holder.startsWith('user ') ? perUser : perWorkspace);
}
