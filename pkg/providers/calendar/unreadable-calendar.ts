import { CallError } from '../call-error.ts';

/** What a calendar holds can't be read, so that nobody knows when its owner is free: an answer of slots would be a guess. */
export class UnreadableCalendar extends CallError {
  constructor(why: string) {
    super('refused', `the calendar can not be read: ${why}`);
  }
}
