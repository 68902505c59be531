import { Cron as Pattern } from 'croner';
import { zoneOffset } from '../local-time.ts';

/** Clocks are set back or forward by so much at most: the longest change of the zones that people live in. */
const LONGEST_CHANGE_MS = 3 * 3_600_000;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** No zone sets its clock twice within so long. */
const ONE_CHANGE_MS = 20 * DAY_MS;
/** An hour field that leaves out no hour. */
const EVERY_HOUR = /^(?:\*|\?|\*\/1|0-23)$/;

/**
 * Five fields of cron in a zone, as people mean them. croner reads the fields and walks the calendar; where the clock of the zone
 * jumps, two rules hold that no library keeps:
 * - a job that leaves out hours has fixed times, and each of them comes once per local date. Of a time that the clock shows twice the
 *   first counts. Times in a gap come when the gap is over: the first of them at once, others as far behind it as they stand on the clock.
 * - a job of every hour follows real time: it comes whenever the clock shows its minutes, in an hour that comes twice as well.
 */
export class Cron {
  readonly #pattern: Pattern;
  readonly #timezone: string;
  /** Whether it follows real time: it leaves out no hour. */
  readonly isInterval: boolean;

  /**
   * @param text five fields; croner's `L`, `W` and `#` are taken too
   * @param timezone IANA name that this machine knows (isNamedTimezone)
   * @throws Error with croner's words for what is no cron
   */
  constructor(text: string, timezone: string) {
    // The calendar of the wall clock, read as if it were UTC: no clock jumps there.
    this.#pattern = new Pattern(text, { timezone: 'UTC', mode: '5-part', paused: true });
    this.#timezone = timezone;
    this.isInterval = EVERY_HOUR.test(text.trim().split(/\s+/)[1] ?? '');
  }

  /** The first instant after `after` (both epoch ms); null: it never comes again. */
  next(after: number): number | null {
    const offset = zoneOffset(after, this.#timezone);
    const wall = after + offset;
    const shown = this.nextShown(wall);
    if (shown !== null && this.#isSteady(after, shown - offset)) return shown - offset;
    return this.#search(after, wall);
  }

  /** Whether the clock is not set between the two, nor so shortly before or after that it matters. */
  #isSteady(from: number, to: number): boolean {
    const [first, last] = [from - LONGEST_CHANGE_MS, to + LONGEST_CHANGE_MS];
    return last - first < ONE_CHANGE_MS && zoneOffset(first, this.#timezone) === zoneOffset(last, this.#timezone);
  }

  /** Looks at all that the clock shows around a change. */
  #search(after: number, wall: number): number | null {
    let best: number | null = null;
    let shown = this.nextShown(wall - LONGEST_CHANGE_MS);
    while (shown !== null) {
      // What the clock shows so much later comes later.
      if (best !== null && shown > best + zoneOffset(best, this.#timezone) + LONGEST_CHANGE_MS) break;
      for (const at of this.#instantsOf(shown)) if (at > after && (best === null || at < best)) best = at;
      shown = this.nextShown(shown);
    }
    return best;
  }

  /** The next time that the wall clock is to show, and the one before it: both read as if they were UTC. */
  nextShown(wall: number): number | null {
    return this.#pattern.nextRun(new Date(wall))?.getTime() ?? null;
  }

  /** When it comes for a time that the wall clock is to show. */
  #instantsOf(shown: number): number[] {
    const [early, late] = this.#readings(shown);
    const real = [early, late].filter((at) => at + zoneOffset(at, this.#timezone) === shown);
    if (this.isInterval) return [...new Set(real)];
    const [first] = real;
    return [first ?? this.#afterGap(shown, early, late)];
  }

  /** The two instants that a time of the wall clock may be, by the offsets a day before and after; the earlier one first. */
  #readings(shown: number): [number, number] {
    const before = shown - zoneOffset(shown - DAY_MS, this.#timezone);
    const after = shown - zoneOffset(shown + DAY_MS, this.#timezone);
    return [Math.min(before, after), Math.max(before, after)];
  }

  /** When a time comes that the clock jumps over, somewhere between `early` and `late`. */
  #afterGap(shown: number, early: number, late: number): number {
    const jump = this.#jump(early, late);
    const gapBegins = jump + zoneOffset(jump - MINUTE_MS, this.#timezone);
    const first = this.nextShown(gapBegins - 1) ?? shown;
    return jump + (shown - first);
  }

  /** The first minute after `early` at which the zone's offset is that of `late`. */
  #jump(early: number, late: number): number {
    const offset = zoneOffset(late, this.#timezone);
    let [low, high] = [early, late];
    while (high - low > MINUTE_MS) {
      const middle = low + Math.floor((high - low) / MINUTE_MS / 2) * MINUTE_MS;
      if (zoneOffset(middle, this.#timezone) === offset) high = middle;
      else low = middle;
    }
    return high;
  }
}
