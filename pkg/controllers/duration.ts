const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds of a duration such as `5m` or `1h30m`, as the schema of Workspace admits it. */
export function durationMs(text: string): number {
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+)([smh])/g)) total += Number(amount) * (UNITS[unit ?? 's'] ?? 0);
  return total;
}
