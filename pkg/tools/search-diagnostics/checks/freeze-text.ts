import { iso } from '../../times.ts';

/** `Sending is frozen (<scope>, <reason>) until <time>.` Source: catalog commonErrors. */
export function freezeText(freeze: { scope: string; channel: string; reason: string; until: number | null }): string {
  const what = freeze.channel === '' ? '' : `${freeze.channel} alone: `;
  return `Sending is frozen (${freeze.scope}, ${what}${freeze.reason}) until ${freeze.until === null ? 'it is released' : iso(freeze.until)}.`;
}
