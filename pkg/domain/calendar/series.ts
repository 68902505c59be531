import type { WrittenTime } from './written-time.ts';

/** How long each instance of a series lasts: an exact time where its end was written, days and a time where a duration was. */
export interface Length {
  /** Days by the clock: one may last 23 or 25 hours. */
  days: number;
  ms: number;
}

/** A recurrence rule (RFC 5545, 3.3.10). */
export interface Rule {
  /** `FREQ=WEEKLY;BYDAY=MO`: the rule without COUNT and UNTIL, which count what really takes place. */
  text: string;
  count: number | null;
  until: WrittenTime | null;
}

/** When a series or a single event takes place. */
export interface Times {
  start: WrittenTime;
  length: Length;
  rules: readonly Rule[];
  /** Times beside those of the rules; some say how long they last. */
  extra: readonly { start: WrittenTime; length: Length | null }[];
  /** Times that the rules give and that do not take place. */
  except: readonly WrittenTime[];
}

/** An event as it was written: a single one, a series, or what one instance of a series (and those after it) became. */
export interface WrittenEvent<About> {
  uid: string;
  /** Of two versions of the same the higher one stands. */
  sequence: number;
  times: Times;
  /** The instance that this replaces: the start that the series gave it. */
  replaces: { time: WrittenTime; andLater: boolean } | null;
  about: About;
}

/** One instance of a written event, epoch ms UTC, the end exclusive. */
export interface Instance<About> {
  event: WrittenEvent<About>;
  start: number;
  end: number;
  allDay: boolean;
  /** The start that the series gave it; null: no series. Of an all-day series its date's midnight, read as UTC. */
  original: number | null;
}
