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

export type LeaseKind = 'workspace' | 'account';

/** Where an executor gets its claims from; null: somebody else holds it, or this process may not have it. */
export interface LeaseSource {
  claim(kind: LeaseKind, key: string): Promise<LeaseGrant | null>;
  /** Accounts whose sync is due (for the accounts role; others get none), and when to look again. */
  dueAccounts(limit: number): Promise<DueAccounts>;
  /** Called when work was brought forward; a hint that not every source gives, never needed for correctness. */
  onWake: () => void;
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
