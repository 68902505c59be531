/** A handed-out claim; the token opens the database for this workspace or account. */
export interface ClaimGrant {
  token: string;
  epoch: number;
}

export type ClaimKind = 'workspace' | 'account';

/** Where an executor gets its claims from; null: somebody else holds it, or this process may not have it. */
export interface ClaimSource {
  claim(kind: ClaimKind, key: string): Promise<ClaimGrant | null>;
  /** Accounts whose sync is due (for the accounts role; others get none). */
  dueAccounts(limit: number): Promise<string[]>;
  /** Called when work was brought forward; a hint that not every source gives, never needed for correctness. */
  onWake: () => void;
}

/** An answer that names no grant is a refusal; what comes from outside is not trusted. */
export function grantOf(answer: unknown): ClaimGrant | null {
  const { type, token, epoch } = (answer ?? {}) as Record<string, unknown>;
  return type === 'claimed' && typeof token === 'string' ? { token, epoch: Number(epoch) } : null;
}

export function accountsOf(answer: unknown): string[] {
  const { accountIds } = (answer ?? {}) as Record<string, unknown>;
  return Array.isArray(accountIds) ? accountIds.filter((id) => typeof id === 'string') : [];
}
