import { monotonicMs, withDeadline } from '../../base/clock.ts';
import { FencedError, messageOf } from '../../base/errors.ts';
import { outOfPatience } from '../../domain/patience.ts';
import { CallError, isForGood } from '../../providers/call-error.ts';
import { nextAction } from '../../store/actions/actions.ts';
import {
  type ChangePlan,
  type DueChange,
  delayChange,
  endChange,
  keepPlan,
  readCalendarStop,
  takeChanges,
} from '../../store/calendar/calendar-changes.ts';
import type { Outside } from '../calls/outside.ts';
import type { EngineDeps } from '../engine-deps.ts';
import { type CalendarTurn, calendarTurn } from './calendar-turn.ts';
import { type OpenCalendar, openCalendar } from './open-calendar.ts';
import { type Changed, ChangeRefused, EventMoved, performChange } from './perform-change.ts';
import { settleChange } from './settle-change.ts';

/** By which executors say that they change events (app.next_action). */
export const CALENDAR_ACTION = 'calendar_event';
/** Real ms between rounds, and changes that one takes. */
const EVERY_MS = 1_000;
const AT_ONCE = 50;
/** Longest work on one change, real ms. */
const PERFORM_MS = 60_000;
/** Looks at an event that others change too, before it is tried later. */
const MOST_LOOKS = 3;
/** First wait after a failure and longest one, product ms. */
const FIRST_MS = 2_000;
const LONGEST_MS = 30 * 60_000;
/** A freeze of which nobody knows when it ends is looked at again after so long. */
const STOPPED_MS = 15 * 60_000;

/** Does what is asked of the workspace's calendars: one change of a calendar after the other, several calendars at once. */
export class CalendarRounds {
  readonly #deps: EngineDeps & { outside: Outside };
  readonly #failed: (error: unknown) => void;
  readonly #moved: () => void;
  readonly #busy = new Map<string, Promise<void>>();
  #doneAt = Number.NEGATIVE_INFINITY;
  /** What an executor took that ended is taken at once, by the first round. */
  #anew = true;

  /** @param listener `failed` hears what ended a change: the state in the database is not known any more; `moved`: another may be due */
  constructor(
    deps: EngineDeps & { outside: Outside },
    listener: { failed: (error: unknown) => void; moved: () => void },
  ) {
    this.#deps = deps;
    this.#failed = listener.failed;
    this.#moved = listener.moved;
  }

  /** Takes what is due, if a round is due. */
  async keep(): Promise<void> {
    if (monotonicMs() - this.#doneAt < Math.max(EVERY_MS, this.#deps.pace?.roundsMs ?? 0)) return;
    await this.round();
    this.#doneAt = monotonicMs();
  }

  /** Takes what is due and begins it. @returns how many changes that were */
  async round(): Promise<number> {
    const { claim, clock } = this.#deps;
    const changes = await claim.tx(async (tx) => {
      const now = clock.now();
      const next = await nextAction(tx, [CALENDAR_ACTION]);
      if (next === null || (next > now && !this.#anew)) return [];
      return takeChanges(tx, { now, busy: [...this.#busy.keys()], anew: this.#anew, limit: AT_ONCE });
    });
    this.#anew = false;
    const byCalendar = Map.groupBy(changes, ({ accountId }) => accountId);
    for (const [accountId, ofCalendar] of byCalendar) this.#start(accountId, ofCalendar);
    return changes.length;
  }

  /** Calendars that are worked on. */
  get busy(): boolean {
    return this.#busy.size > 0;
  }

  /** The next round is due now. */
  hurry(): void {
    this.#doneAt = Number.NEGATIVE_INFINITY;
  }

  /** Waits for the changes under way. */
  async ended(): Promise<void> {
    await Promise.all(this.#busy.values());
  }

  #start(accountId: string, changes: readonly DueChange[]): void {
    const work = this.#workOff(changes)
      .catch(this.#failed)
      .finally(() => {
        this.#busy.delete(accountId);
        this.hurry();
        this.#moved();
      });
    this.#busy.set(accountId, work);
  }

  async #workOff(changes: readonly DueChange[]): Promise<void> {
    for (const change of changes) await this.#work(change);
  }

  async #work(change: DueChange): Promise<void> {
    const { claim, faults, log } = this.#deps;
    await faults('claimed', change.id);
    try {
      if (await this.#isStopped(change)) return;
      await withDeadline(PERFORM_MS, claim.signal, (signal) => this.#inTurn(change, signal));
    } catch (error) {
      if (error instanceof FencedError || claim.signal.aborted) throw error;
      log.warn({ changeId: change.id, kind: change.kind, reason: messageOf(error) }, 'a calendar was not changed');
      await this.#fail(change, error);
    }
    await faults('settled', change.id);
  }

  /** Workspaces that connected one calendar change it one after the other: each sees what the one before wrote. */
  async #inTurn(change: DueChange, signal: AbortSignal): Promise<void> {
    const { claim, clock } = this.#deps;
    const calendar = await openCalendar(this.#deps, change.accountId);
    const turn = await calendarTurn(this.#deps, change, calendar, signal);
    if (!turn) {
      const now = clock.now();
      const error = 'another workspace writes to the calendar';
      return claim.tx((tx) => delayChange(tx, change.id, { dueAt: now + FIRST_MS, error, counts: false, now }));
    }
    // A process that ends here leaves the turn to the one that takes up the change.
    await this.#perform(change, calendar, turn, signal).catch(async (error: unknown) => {
      if (!claim.signal.aborted && !(error instanceof FencedError)) await turn.end();
      throw error;
    });
    await turn.end();
  }

  async #perform(change: DueChange, calendar: OpenCalendar, turn: CalendarTurn, signal: AbortSignal): Promise<void> {
    const { claim, faults } = this.#deps;
    let { plan } = change;
    const keep = async (planned: ChangePlan): Promise<void> => {
      plan = planned;
      await claim.tx((tx) => keepPlan(tx, change.id, planned));
      await faults('prepared', change.id);
      claim.assertHeld();
      turn.assertHeld();
    };
    const done = await this.#again((look) =>
      performChange(
        calendar,
        look === 0 ? change : { ...change, plan: change.kind === 'update' ? change.plan : plan },
        keep,
        signal,
      ),
    );
    await faults('before_settle', change.id);
    await settleChange(this.#deps, change, done, calendar);
  }

  /** Looks again at an event that somebody changed meanwhile. */
  async #again(perform: (look: number) => Promise<Changed>): Promise<Changed> {
    for (let look = 0; ; look++) {
      try {
        return await perform(look);
      } catch (error) {
        if (!(error instanceof EventMoved) || look + 1 >= MOST_LOOKS) throw error;
      }
    }
  }

  async #isStopped(change: DueChange): Promise<boolean> {
    const { claim, clock } = this.#deps;
    return claim.tx(async (tx) => {
      const now = clock.now();
      const stop = await readCalendarStop(tx, now);
      if (!stop) return false;
      const dueAt = Math.max(now + 1, stop.until ?? now + STOPPED_MS);
      await delayChange(tx, change.id, { dueAt, error: 'sending is frozen', counts: false, now });
      return true;
    });
  }

  async #fail(change: DueChange, error: unknown): Promise<void> {
    const { claim, clock } = this.#deps;
    const now = clock.now();
    const end = failureOf(change, error, now);
    await claim.tx(async (tx) => {
      if (end) {
        await endChange(tx, change.id, { state: 'failed', ...end, at: now });
        return;
      }
      const asked = error instanceof CallError ? (error.retryAfterMs ?? 0) : 0;
      const wait = Math.max(asked, Math.min(FIRST_MS * 2 ** Math.min(change.tries, 20), LONGEST_MS));
      await delayChange(tx, change.id, { dueAt: now + wait, error: messageOf(error), counts: true, now });
    });
  }
}

/**
 * How a failure ends a change; null: it is tried again. What an earlier try was about to write may be written: then no answer to a later
 * look says that nothing was done, and the change waits until the calendar shows what it has.
 */
export function failureOf(
  change: Pick<DueChange, 'kind' | 'plan' | 'tries' | 'failingSince' | 'wanted'>,
  error: unknown,
  now: number,
): { outcome: string; error: string } | null {
  const message = messageOf(error);
  if (error instanceof ChangeRefused) return { outcome: error.outcome, error: message };
  const givenUp = outOfPatience(change.tries + 1, change.failingSince ?? now, now);
  if (change.plan || !(error instanceof CallError) || error.kind === 'lost')
    return givenUp ? { outcome: 'unknown', error: `it may be written: ${message}` } : null;
  if (isForGood(error)) return { outcome: error.kind, error: message };
  return givenUp || isTooLate(change, now) ? { outcome: 'failed', error: message } : null;
}

/** Nobody is invited to what has begun. */
function isTooLate({ kind, wanted }: Pick<DueChange, 'kind' | 'wanted'>, now: number): boolean {
  const start = wanted['start'];
  return kind === 'create' && typeof start === 'number' && start < now;
}
