/** Rows that are alike but for what each has of its own (an id). */
export interface Group<T> {
  /** One of them, for what all share. */
  like: T;
  rows: T[];
}

/** How rows are found alike. */
export interface Likeness<T> {
  /** What two rows that are alike mostly have in common, as a key of a Map: cheaper to look up than `key`. */
  hint: (row: T) => unknown;
  /** Whether they are alike; rows with the same hint are asked. */
  same: (one: T, other: T) => boolean;
  /** Text that is equal for rows that are alike, and for no others. */
  key: (row: T) => string;
}

/** Groups in the order of their first rows; rows keep their order within a group. */
export function groupsOf<T>(rows: readonly T[], { hint, same, key }: Likeness<T>): Group<T>[] {
  const groups: Group<T>[] = [];
  const byHint = new Map<unknown, Group<T>>();
  const byKey = new Map<string, Group<T>>();
  for (const row of rows) {
    const hinted = byHint.get(hint(row));
    if (hinted && same(hinted.like, row)) {
      hinted.rows.push(row);
      continue;
    }
    const text = key(row);
    const found = byKey.get(text);
    const group = found ?? { like: row, rows: [] };
    group.rows.push(row);
    byHint.set(hint(row), group);
    if (found) continue;
    byKey.set(text, group);
    groups.push(group);
  }
  return groups;
}

/** Rows that a group must have on average: below that, the server has more work with a group than with its rows. */
const WORTH = 3;

/** Whether a statement by groups is cheaper than one by rows. */
export function worthGrouping(groups: number, rows: number): boolean {
  return groups * WORTH <= rows;
}

/** Where each group lies when all rows are written one group after the other: first and last place, counted from 1. */
export function spansOf(groups: readonly Group<unknown>[]): { first: number[]; last: number[] } {
  let end = 0;
  const first = groups.map(({ rows }) => {
    end += rows.length;
    return end - rows.length + 1;
  });
  return { first, last: groups.map(({ rows }, at) => (first[at] ?? 0) + rows.length - 1) };
}
