import { deeds } from '../outbox.ts';
import { hasTyped } from '../typed.ts';

/** Whether something is in this page alone: a decision that is not sent, or a text that somebody typed. */
export function isNeeded(): boolean {
  return deeds.value.some((deed) => deed.phase !== 'over') || hasTyped();
}
