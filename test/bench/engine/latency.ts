import { SystemClock, sleepReal } from '../../../pkg/base/clock.ts';
import type { TestDatabase } from '../../tools/postgres.ts';
import { fill } from './fill.ts';
import { ProductExecutor } from './product.ts';

const PER_SECOND = 500;
const SECONDS = 10;
/** Real ms until the first is due: the rows have to be made first. */
const LEAD_MS = 20_000;

/** Ms from due to the action at the provider at 500 effects per second, on real time. */
export async function latencyRound(urls: TestDatabase): Promise<{ p50: number; p99: number; effects: number }> {
  const runs = PER_SECOND * SECONDS;
  const spacingMs = 1_000 / PER_SECOND;
  const from = new SystemClock().now() + LEAD_MS;
  const filled = await fill(urls.superuserUrl, 'effects', runs, { from, spacingMs });
  const executor = await ProductExecutor.start(urls, filled, from);
  await sleepReal(Math.max(0, from - new SystemClock().now()) + SECONDS * 1_000 + 3_000);
  const { late } = await executor.stop();
  const at = (share: number): number => late[Math.min(late.length - 1, Math.floor(share * late.length))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), effects: late.length };
}
