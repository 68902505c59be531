import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../postgres/database.ts';
import { holdSeat, type Seat, seatsOf, seeMember } from './seats.ts';

/** What an executor may ask: a claim, which accounts are due, or whom it serves as one of a pool. */
export const leaseRequest = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('claim'),
    kind: z.enum(['workspace', 'account']),
    key: z.string().min(1).max(200),
  }),
  z.strictObject({ type: z.literal('due-accounts'), limit: z.int().min(1).max(1_000) }),
  z.strictObject({ type: z.literal('seats') }),
]);
export type ClaimRequest = z.infer<typeof leaseRequest>;

/** For whom a process asks: decided by its Pod, never by what the process says. */
export type PodIdentity = { podUid: string } & (
  | { role: 'workspace'; workspaceId: string }
  | { role: 'accounts' }
  /** One of the pool; `member` is its Pod's name, to which workspaces are seated. */
  | { role: 'pool'; member: string }
);

export type LeaseReply =
  | { type: 'claimed'; token: string; epoch: number }
  | { type: 'refused' }
  /** `nextAt`: when the next account is due, epoch ms product time; null: none waits. */
  | { type: 'accounts'; accountIds: string[]; nextAt: number | null }
  | { type: 'seats'; seats: Seat[] };

/**
 * Hands out claim tokens: a process gets one for its own workspace only, one of a pool for each workspace that is seated to it
 * (design: executors and their claims).
 */
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
    if (request.type === 'seats') return { type: 'seats', seats: await this.#seats(identity) };
    if (!isOwn(request, identity)) return { type: 'refused' };
    const claim = await this.#take(request, identity).catch(() => undefined);
    return claim ? { type: 'claimed', ...claim } : { type: 'refused' };
  }

  #take(
    { kind, key }: { kind: string; key: string },
    identity: PodIdentity,
  ): Promise<{ token: string; epoch: number } | undefined> {
    return this.#db.tx({ kind: 'platform' }, async (tx) => {
      // Held until the claim is taken: who is moved meanwhile claims at its new place.
      if (identity.role === 'pool' && !(await holdSeat(tx, key, identity.member))) return undefined;
      const values = [kind, key, identity.podUid];
      return tx.row<{ token: string; epoch: number }>('select token, epoch from take_claim($1, $2, $3)', values);
    });
  }

  async #seats(identity: PodIdentity): Promise<Seat[]> {
    if (identity.role !== 'pool') return [];
    return this.#db.tx({ kind: 'platform' }, async (tx) => {
      await seeMember(tx, identity.member, identity.podUid);
      return seatsOf(tx, identity.member);
    });
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
  if (identity.role === 'pool') return request.kind === 'workspace';
  return request.kind === 'workspace' && request.key === identity.workspaceId;
}
