import type { ChildProcess } from 'node:child_process';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { Database } from '../../postgres/database.ts';

/** What an executor may ask over its pipe. */
const requestSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('claim'),
    id: z.number(),
    kind: z.enum(['workspace', 'account']),
    key: z.string().min(1).max(200),
  }),
  z.object({ type: z.literal('due-accounts'), id: z.number(), limit: z.number().int().min(1).max(1_000) }),
]);

/** Whom a pipe belongs to: decided by the Pod, never by what the process says. */
export type PodIdentity = { podUid: string } & ({ role: 'workspace'; workspaceId: string } | { role: 'accounts' });

export interface ClaimBrokerOptions {
  db: Database;
  /** Product time. */
  clock: Clock;
  log: Logger;
}

/**
 * Hands claim tokens to executor processes over their pipe (in a cluster an internal endpoint does the same in
 * exchange for the pod's projected token). A process gets a token for its own workspace only.
 */
export class ClaimBroker {
  readonly #options: ClaimBrokerOptions;

  constructor(options: ClaimBrokerOptions) {
    this.#options = options;
  }

  /** Serves one child process until it ends. */
  attach(child: ChildProcess, identity: PodIdentity): void {
    child.on('message', (message: unknown) => {
      this.#answer(message, identity).then(
        (answer) => {
          if (answer && child.connected) child.send(answer, () => undefined);
        },
        (error: unknown) => this.#options.log.warn({ reason: messageOf(error) }, 'claim request failed'),
      );
    });
  }

  async #answer(message: unknown, identity: PodIdentity): Promise<object | undefined> {
    const parsed = requestSchema.safeParse(message);
    if (!parsed.success) return undefined;
    const request = parsed.data;
    if (request.type === 'due-accounts') {
      const accountIds = identity.role === 'accounts' ? await this.#dueAccounts(request.limit) : [];
      return { type: 'accounts', id: request.id, accountIds };
    }
    if (!isOwn(request, identity)) return { type: 'refused', id: request.id };
    const claim = await this.#take(request.kind, request.key, identity.podUid).catch(() => undefined);
    return claim ? { type: 'claimed', id: request.id, ...claim } : { type: 'refused', id: request.id };
  }

  #take(kind: string, key: string, holder: string): Promise<{ token: string; epoch: number } | undefined> {
    return this.#options.db.tx({ kind: 'platform' }, (tx) =>
      tx.row<{ token: string; epoch: number }>('select token, epoch from take_claim($1, $2, $3)', [kind, key, holder]),
    );
  }

  async #dueAccounts(limit: number): Promise<string[]> {
    const rows = await this.#options.db.tx({ kind: 'platform' }, (tx) =>
      tx.rows<{ account_id: string }>(
        `select w.account_id from account_wake w join network_account a on a.id = w.account_id
         where w.due_at <= $1 order by w.due_at limit $2`,
        [this.#options.clock.now(), limit],
      ),
    );
    return rows.map((row) => row.account_id);
  }
}

function isOwn(request: { kind: string; key: string }, identity: PodIdentity): boolean {
  if (identity.role === 'accounts') return request.kind === 'account';
  return request.kind === 'workspace' && request.key === identity.workspaceId;
}
