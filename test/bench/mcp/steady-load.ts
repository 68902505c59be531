import { text } from 'node:stream/consumers';
import { sleepReal } from '../../../pkg/base/clock.ts';
import { OpenLoad } from '../../tools/open-load.ts';
import type { Target } from './load.ts';

/** Requests before those that count: this process has just begun. */
const WARM_MS = 1_000;

const { rate, seconds, url, headers, body } = JSON.parse(await text(process.stdin)) as Target & {
  rate: number;
  seconds: number;
};
const kept = (text: string): string => (text.includes('"isError"') ? text.slice(0, 200) : '');
const load = new OpenLoad(url, rate, () => ({ what: 'call', headers, body }), 32, kept);
await sleepReal(WARM_MS + seconds * 1_000);
const { hits, perSecond } = await load.end();
const failed = hits.filter(({ status, text }) => status !== 200 || text !== '');
if (failed.length > 0) throw new Error(`${failed.length} refused or failed: ${failed[0]?.text}`);
if (perSecond < rate * 0.95) throw new Error(`only ${perSecond.toFixed(0)} of ${rate} requests per second were sent`);
const sorted = hits
  .slice((rate * WARM_MS) / 1_000)
  .map((hit) => hit.ms)
  .sort((a, b) => a - b);
console.log(sorted[Math.floor(sorted.length * 0.99)]);
