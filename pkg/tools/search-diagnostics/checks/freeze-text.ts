import { iso } from '../../times.ts';

/** `Sending is frozen (<scope>, <reason>) until <time>.` Source: catalog commonErrors. */
export function freezeText(freeze: { scope: string; reason: string; until: number | null }): string {
  return `Sending is frozen (${freeze.scope}, ${freeze.reason}) until ${freeze.until === null ? 'it is released' : iso(freeze.until)}.`;
}
