/**
 * Steps that make one word the other: a letter more, less, another one, or two that changed places (optimal string alignment).
 * `most` + 1 where it is more than that; what it costs is bounded by the lengths, which callers keep short.
 */
export function editDistance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1;
      let steps = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (swapped) steps = Math.min(steps, (before[j - 2] ?? 0) + 1);
      row.push(steps);
    }
    [before, last] = [last, row];
  }
  return Math.min(last[other.length] ?? 0, most + 1);
}
