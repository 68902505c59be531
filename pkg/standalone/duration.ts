import { UserError } from '../base/errors.ts';

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/**
 * Parses `14d`, `90m`, `6h`, `1d12h`.
 * @returns milliseconds
 * @throws UserError when it is no duration
 */
export function parseDuration(text: string): number {
  if (!/^(\d+[smhdw])+$/.test(text)) {
    throw new UserError(`"${text}" is no duration. Write for example 14d, 6h or 90m.`);
  }
  let total = 0;
  for (const [, amount = '0', unit = 's'] of text.matchAll(/(\d+)([smhdw])/g))
    total += Number(amount) * (UNITS[unit] ?? 0);
  return total;
}
