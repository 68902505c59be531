import { instantOfWall, type Zone } from './wall-time.ts';

/** A time as a calendar writes it. */
export interface WrittenTime {
  /** What the clocks show, read as if it were UTC; of a date its midnight. Epoch ms. */
  wall: number;
  /** A date without a time of day. */
  isDate: boolean;
  /** Whose clocks; null: those of the place of who looks (a date, a floating time). */
  zone: Zone | null;
}

/** Whose clocks dates and floating times mean. */
export interface Places {
  /** Days of this zone are those of a date. */
  days: Zone;
  /** Its clocks are those of a floating time. */
  floating: Zone;
}

/** The zone by whose clocks a time is meant. */
export function zoneOf({ isDate, zone }: WrittenTime, places: Places): Zone {
  return zone ?? (isDate ? places.days : places.floating);
}

/** The instant of a written time; of a date its first one. Times that the clocks skip count with the offset before the gap. */
export function instantOfWritten(time: WrittenTime, places: Places): number {
  return instantOfWall(time.wall, zoneOf(time, places)).at;
}
