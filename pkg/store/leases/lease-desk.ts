import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../postgres/database.ts';

/** What an executor may ask: a claim, or which accounts are due. */
export const leaseRequest = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('claim'),
    kind: z.enum(['workspace', 'account']),
    key: z.string().min(1).max(200),
  }),
  z.strictObject({ type: z.literal('due-accounts'), limit: z.int().min(1).max(1_000) }),
]);
export type ClaimRequest = z.infer<typeof leaseRequest>;

/** For whom a process asks: decided by its Pod, never by what the process says. */
export type PodIdentity = { podUid: string } & ({ role: 'workspace'; workspaceId: string } | { role: 'accounts' });

export type LeaseReply =
  | { type: 'claimed'; token: string; epoch: number }
  | { type: 'refused' }
  /** `nextAt`: when the next account is due, epoch ms product time; null: none waits. */
  | { type: 'accounts'; accountIds: string[]; nextAt: number | null };

/** Hands out claim tokens: a process gets one for its own workspace only (design: executors and their claims). */
export class LeaseDesk {
  readonly #db: Database;
  readonly #clock: Clock;

  /** @param clock product time, which decides what accounts are due */
  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async answer(request: ClaimRequest, identity: PodIdentity): Promise<LeaseReply> {
    if (request.type === 'due-accounts') {
      const none = { accountIds: [], nextAt: null };
      return { type: 'accounts', ...(identity.role === 'accounts' ? await this.#due(request.limit) : none) };
    }
    if (!isOwn(request, identity)) return { type: 'refused' };
    const claim = await this.#take(request.kind, request.key, identity.podUid).catch(() => undefined);
    return claim ? { type: 'claimed', ...claim } : { type: 'refused' };
  }

  #take(kind: string, key: string, holder: string): Promise<{ token: string; epoch: number } | undefined> {
    return this.#db.tx({ kind: 'platform' }, (tx) =>
      tx.row<{ token: string; epoch: number }>('select token, epoch from take_claim($1, $2, $3)', [kind, key, holder]),
    );
  }

  async #due(limit: number): Promise<{ accountIds: string[]; nextAt: number | null }> {
    const now = this.#clock.now();
    const rows = await this.#db.read({ kind: 'platform' }, (tx) =>
      tx.rows<{ id: string; due: number }>(
        `select w.account_id as id, w.due_at as due from account_wake w join network_account a on a.id = w.account_id
         order by w.due_at limit $1`,
        [limit + 1],
      ),
    );
    const due = rows.filter((row) => row.due <= now).slice(0, limit);
    return { accountIds: due.map((row) => row.id), nextAt: rows[due.length]?.due ?? null };
  }
}

function isOwn(request: { kind: string; key: string }, identity: PodIdentity): boolean {
  if (identity.role === 'accounts') return request.kind === 'account';
  return request.kind === 'workspace' && request.key === identity.workspaceId;
}
