/** A handed-out claim; the token opens the database for this workspace or account. */
export interface LeaseGrant {
  token: string;
  epoch: number;
}

export interface DueAccounts {
  accountIds: string[];
  /** When the next account is due: epoch ms product time; null: not known. */
  nextAt: number | null;
}

/** A workspace that this process serves as one of a pool. */
export interface Seat {
  workspaceId: string;
  /** When its work is due as the database has it: epoch ms product time, 0: at once; null: none is known. */
  wakeAt: number | null;
}

export type LeaseKind = 'workspace' | 'account';

/** Where an executor gets its claims from; null: somebody else holds it, or this process may not have it. */
export interface LeaseSource {
  claim(kind: LeaseKind, key: string): Promise<LeaseGrant | null>;
  /** Accounts whose sync is due (for the accounts role; others get none), and when to look again. */
  dueAccounts(limit: number): Promise<DueAccounts>;
  /**
   * Called when work was brought forward, of this workspace where the source knows of which; a hint that not every source gives,
   * never needed for correctness.
   */
  onWake: (workspaceId?: string) => void;
}

/** The same for a process that serves many workspaces. */
export interface PoolSource extends LeaseSource {
  /** Whom this process serves (others than the pool's get none); null: not known now, nothing changes. */
  seats(): Promise<Seat[] | null>;
}

/** An answer that names no grant is a refusal; what comes from outside is not trusted. */
export function grantOf(answer: unknown): LeaseGrant | null {
  const { type, token, epoch } = (answer ?? {}) as Record<string, unknown>;
  return type === 'claimed' && typeof token === 'string' ? { token, epoch: Number(epoch) } : null;
}

export function accountsOf(answer: unknown): DueAccounts {
  const { accountIds, nextAt } = (answer ?? {}) as Record<string, unknown>;
  return {
    accountIds: Array.isArray(accountIds) ? accountIds.filter((id) => typeof id === 'string') : [],
    nextAt: typeof nextAt === 'number' ? nextAt : null,
  };
}

/** Null for anything but a list of seats: a process that took a fault for "nobody" would let all its workspaces go. */
export function seatsOf(answer: unknown): Seat[] | null {
  const { type, seats } = (answer ?? {}) as Record<string, unknown>;
  if (type !== 'seats' || !Array.isArray(seats)) return null;
  return seats.flatMap((seat: unknown) => {
    const { workspaceId, wakeAt } = (seat ?? {}) as Record<string, unknown>;
    if (typeof workspaceId !== 'string' || workspaceId === '') return [];
    return [{ workspaceId, wakeAt: typeof wakeAt === 'number' ? wakeAt : null }];
  });
}
