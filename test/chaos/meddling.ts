import { sleepReal } from '../../pkg/base/clock.ts';
import { isDatabaseAway } from '../../pkg/postgres/database-away.ts';
import type { Fixture } from '../fixtures/chaos/chaos-fixture.ts';
import type { Load } from './load.ts';

/** Longest time for which something is held, real ms. */
const HELD_MS = 1_500;

/** What people hold for a while and let go on, as it arrives in the rows: nothing of it may let a request leave early, twice or never. */
export class Meddling {
  readonly #fixture: Fixture;
  readonly #ws: string;
  readonly #random: () => number;
  /** While these lasted all sending was held (epoch ms): from when it had certainly been, until it might be no more. */
  readonly holds: { what: string; from: number; until: number }[] = [];

  constructor(fixture: Fixture, { ws }: Load, random: () => number) {
    this.#fixture = fixture;
    this.#ws = ws;
    this.#random = random;
  }

  readonly deeds: Record<string, () => Promise<unknown>> = {
    campaign: () =>
      this.#hold(
        'campaign',
        (held) => `update campaign set state = '${held ? 'paused' : 'active'}' where workspace_id = $1`,
      ),
    workflow: () => this.#hold('workflow', (held) => `update workflow set enabled = ${!held} where workspace_id = $1`),
    accounts: () =>
      this.#hold(
        'accounts',
        (held) =>
          `update network_account set paused = ${held} where id in (select account_id from account_link where workspace_id = $1)`,
      ),
    freeze: () =>
      this.#hold('freeze', (held) =>
        held
          ? `insert into send_freeze (id, scope, target, reason, frozen_by, since)
             values (gen_random_uuid(), 'workspace', $1, 'chaos', 'chaos', :now) on conflict do nothing`
          : 'delete from send_freeze where target = $1',
      ),
    /** Half of them; the others go on. */
    runs: async () => {
      await this.#set(
        `update run set state = 'paused', due_at = null, version = version + 1
         where workspace_id = $1 and ended_at is null and hashtext(id::text) % 2 = 0`,
      );
      await this.#while();
      await this.#set(
        `update run set state = 'waiting', due_at = :now, version = version + 1 where workspace_id = $1 and state = 'paused'`,
      );
    },
    /** A setting that changed, or an answer that came, makes runs look at their place again. */
    poke: () =>
      this.#set(
        `update run set due_at = :now where workspace_id = $1 and ended_at is null and send_id is null and due_at > :now`,
      ),
  };

  /** Sends that were committed to leave while all sending was held. */
  async leftWhileHeld(): Promise<unknown[]> {
    const left: unknown[] = [];
    for (const { what, from, until } of this.holds) {
      const rows = await this.#fixture.query<object>(
        `select s.id, s.state, s.action, s.claimed_at, s.dispatched_at, s.epoch from send s
         where workspace_id = $1 and dispatched_at > $2 and dispatched_at < $3`,
        [this.#ws, from, until],
      );
      left.push(...rows.map((row) => ({ what, from, until, ...row })));
    }
    return left;
  }

  async #hold(what: string, change: (held: boolean) => string): Promise<void> {
    await this.#set(change(true));
    const from = this.#fixture.clock.now();
    await this.#while();
    this.holds.push({ what, from, until: this.#fixture.clock.now() });
    await this.#set(change(false));
  }

  #while(): Promise<void> {
    return sleepReal(this.#random() * HELD_MS);
  }

  /** Again when a strike met its connection: each may be done twice. */
  #set(text: string): Promise<unknown> {
    return this.#fixture.untilFound('the database answers', () =>
      this.#fixture
        .query(text.replaceAll(':now', String(this.#fixture.clock.now())), [this.#ws])
        .catch((error: unknown) => {
          if (!isDatabaseAway(error)) throw error;
          return undefined;
        }),
    );
  }
}
