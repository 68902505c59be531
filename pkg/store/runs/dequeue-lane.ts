/** One of the two lanes that claim side by side while effects are under way. */
export type DequeueLane = 0 | 1;

/**
 * The lane that an account's effects are claimed by: two claims of one account wait for each other, those of two lanes don't
 * meet. By the last character of its id, which is as good as drawn; a run without an account is the first lane's. `app.lane_of` is the same in SQL.
 */
export function dequeueLaneOf(accountId: string | null): DequeueLane {
  if (!accountId) return 0;
  return accountId.charCodeAt(accountId.length - 1) % 2 === 0 ? 0 : 1;
}
