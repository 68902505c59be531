/** Structure of a graph by position: what can be reached, and whether anything leads back to itself. */

/** Positions reachable from the starts (starts included), along `targets` by position. */
export function reachableFrom(starts: readonly number[], targets: readonly (readonly number[])[]): ReadonlySet<number> {
  const seen = new Set<number>(starts);
  const open = [...starts];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const next of targets[at] ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(next);
    }
  }
  return seen;
}

/** Positions that lie on or behind no cycle are removed one by one; what is left is in or between cycles. */
export function positionsInCycles(targets: readonly (readonly number[])[]): readonly number[] {
  const incoming = targets.map(() => 0);
  for (const list of targets) for (const to of list) incoming[to] = (incoming[to] ?? 0) + 1;
  const open = incoming.flatMap((count, at) => (count === 0 ? [at] : []));
  const done = new Set<number>();
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    done.add(at);
    for (const to of targets[at] ?? []) {
      const left = (incoming[to] ?? 0) - 1;
      incoming[to] = left;
      if (left === 0) open.push(to);
    }
  }
  return targets
    .flatMap((_list, at) => (done.has(at) ? [] : [at]))
    .filter((at) => reachableFrom([...(targets[at] ?? [])], targets).has(at));
}
