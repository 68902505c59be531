import { z } from 'zod';
import { seededRandom } from '../../pkg/domain/random.ts';
import type { Store } from './store.ts';

/**
 * What goes wrong. `error`: status 500, nothing done. `timeout`: no answer, nothing done. `lost_answer`: done, then the
 * connection breaks. `rate_limit`: 429, nothing done. `slow`: done, answered after `ms`. `late`: the connection breaks
 * first; the action is done up to `ms` later, and the lists show it `ms` after the caller has gone.
 */
export const faultSchema = z.strictObject({
  /** A budget action, `lookup` (profiles), `list` (all lists), `search`, `webhook` (registrations), a service outside (`hubspot`, `hook` …), or `*` for every one of these. */
  action: z.string().min(1).max(60),
  kind: z.enum(['error', 'timeout', 'lost_answer', 'rate_limit', 'slow', 'late']),
  rate: z.number().min(0).max(1),
  /** Real ms. */
  ms: z.number().int().min(0).max(600_000).optional(),
});
export type Fault = z.infer<typeof faultSchema>;

export const faultsSchema = z.array(faultSchema).max(100);

/** The faults in force; they survive a restart. */
export class Faults {
  readonly #store: Store;
  readonly #random: () => number;
  #faults: Fault[];

  constructor(store: Store, seed: string) {
    this.#store = store;
    this.#random = seededRandom(seed, 'faults');
    const saved = store.one<{ value: string }>(`select value from setting where name = 'faults'`);
    this.#faults = saved ? faultsSchema.parse(JSON.parse(saved.value)) : [];
  }

  get all(): readonly Fault[] {
    return this.#faults;
  }

  set(faults: Fault[]): void {
    this.#faults = faults;
    this.#store.run(`insert or replace into setting (name, value) values ('faults', ?)`, JSON.stringify(faults));
  }

  /** The first fault that strikes this request, if any. */
  strike(action: string): Fault | undefined {
    return this.#faults.find(
      (fault) => (fault.action === action || fault.action === '*') && this.#random() < fault.rate,
    );
  }

  /** Where in the span of a late action it is done: 0 to 0.6 of it, so that the lists lag for the rest. */
  lateShare(): number {
    return this.#random() * 0.6;
  }
}
