import { sleepReal } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import { WakeSignal } from '../../base/wake-signal.ts';
import type { PoolSource, Seat } from '../lease/lease-source.ts';
import type { PoolTenant } from './pool-tenant.ts';

/** Real ms between looks at the list of seats where no hint comes, and at least. */
const LOOK_MS = 1_000;
const LEAST_MS = 20;

export interface PoolHostOptions {
  source: PoolSource;
  /** Product time, epoch ms: work that is due is looked at now. */
  now: () => number;
  /** Makes the tenant of a workspace; it is started by the host. */
  tenant: (workspaceId: string) => PoolTenant;
  log: Logger;
}

interface Served {
  tenant: PoolTenant;
  /** When its work was due as the list said last. */
  wakeAt: number | null;
  /** It was due already then: its engine has not taken it up by itself. */
  overdue: boolean;
}

/** Serves the workspaces that are seated to this process, each under a claim of its own, and follows the list as it changes. */
export class PoolHost {
  readonly #options: PoolHostOptions;
  readonly #served = new Map<string, Served>();
  /** Those that finish; one that comes back meanwhile is begun when it has ended. */
  readonly #leaving = new Map<string, Promise<void>>();
  readonly #hinted = new WakeSignal();

  constructor(options: PoolHostOptions) {
    this.#options = options;
  }

  /** How many workspaces are served, and how many of them under a claim. */
  get load(): { seats: number; working: number } {
    const all = [...this.#served.values()];
    return { seats: all.length, working: all.filter(({ tenant }) => tenant.working).length };
  }

  /** Serves until the signal aborts; then all finish and give their claims back. */
  async run(stop: AbortSignal): Promise<void> {
    const { source } = this.#options;
    source.onWake = (workspaceId) => this.#hear(workspaceId);
    while (!stop.aborted) {
      const hinted = this.#hinted.next();
      await this.look();
      await sleepReal(LEAST_MS, stop).catch(() => undefined);
      await Promise.race([hinted, sleepReal(LOOK_MS, stop)]).catch(() => undefined);
    }
    for (const id of [...this.#served.keys()]) this.#let(id);
    await Promise.all(this.#leaving.values());
  }

  /** One look at the list. While nobody answers, everything stays as it is. */
  async look(): Promise<void> {
    const seats = await this.#options.source.seats().catch(() => null);
    if (!seats) return;
    const named = new Set(seats.map((seat) => seat.workspaceId));
    for (const id of [...this.#served.keys()]) if (!named.has(id)) this.#let(id);
    for (const seat of seats) this.#serve(seat);
  }

  /** Of one that is not served yet the list knows; asked at once. */
  #hear(workspaceId: string | undefined): void {
    const served = workspaceId === undefined ? undefined : this.#served.get(workspaceId);
    if (served) served.tenant.poke();
    else this.#hinted.wake();
  }

  #serve({ workspaceId, wakeAt }: Seat): void {
    const known = this.#served.get(workspaceId);
    if (known) {
      // Sooner than the list said before, or due for more than one look: its engine is not to wait for its own.
      const sooner = wakeAt !== null && wakeAt < (known.wakeAt ?? Number.POSITIVE_INFINITY);
      const due = wakeAt !== null && wakeAt <= this.#options.now();
      if (sooner || (due && known.overdue)) known.tenant.poke();
      known.wakeAt = wakeAt;
      known.overdue = due;
      return;
    }
    if (this.#leaving.has(workspaceId)) return;
    const tenant = this.#options.tenant(workspaceId);
    this.#served.set(workspaceId, { tenant, wakeAt, overdue: false });
    tenant.start();
  }

  /** It leaves; one that is seated again is begun anew once it has. */
  #let(workspaceId: string): void {
    const served = this.#served.get(workspaceId);
    if (!served) return;
    this.#served.delete(workspaceId);
    const ended = served.tenant
      .leave()
      .catch((error: unknown) =>
        this.#options.log.error({ err: error, workspace: workspaceId }, 'a workspace left by a fault'),
      )
      .finally(() => {
        this.#leaving.delete(workspaceId);
        this.#hinted.wake();
      });
    this.#leaving.set(workspaceId, ended);
  }
}
