import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sleepReal } from '../../pkg/base/clock.ts';

/** Real ms between two looks at what is due, and looks after which what is still due is left to itself. */
const LOOK_MS = 30;
const LOOKS = 60;

/** A change of the product's clock. */
interface ClockChange {
  advanceMs?: number;
  skipIdle?: boolean;
}

/**
 * Shows or changes the product's clock of a running home, as `outrider clock` does; a program for each change would take seconds on a
 * busy machine.
 * @returns product time, epoch ms
 */
export async function productClock(folder: string, change?: ClockChange): Promise<number> {
  const control = JSON.parse(await readFile(join(folder, 'control.json'), 'utf8')) as { url: string; token: string };
  const answer = await fetch(`${control.url}/clock`, {
    method: change ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${control.token}`, 'content-type': 'application/json' },
    ...(change ? { body: JSON.stringify(change) } : {}),
    signal: AbortSignal.timeout(30_000),
  });
  if (!answer.ok) throw new Error(`clock: ${await answer.text()}`);
  return ((await answer.json()) as { product: number }).product;
}

/** What a home has to do next. */
export interface Home {
  folder: string;
  sandboxUrl: string;
  sql<T extends object>(statement: string): Promise<T[]>;
}

/**
 * Lets product time pass up to `moment` in steps, and what is due in between happen. The program's own way of it (`--skip-idle`)
 * goes on meanwhile, so that nobody can say where it stops, and reads each mailbox every ten minutes.
 */
export async function playUntil(home: Home, moment: number, stepMs: number): Promise<void> {
  for (let now = await productClock(home.folder); now < moment; now = await productClock(home.folder)) {
    const step = Math.min(moment - now, stepMs);
    await productClock(home.folder, { advanceMs: step });
    for (let look = 0; look < LOOKS && (await nextDue(home)) <= now + step; look++) await sleepReal(LOOK_MS);
  }
}

async function nextDue({ sql, sandboxUrl }: Home): Promise<number> {
  const [row] = await sql<{ due: string | null }>(
    `select least((select min(due_at) from outrider.workspace_wake), (select min(due_at) from outrider.account_wake)) as due`,
  );
  const answer = await fetch(`${sandboxUrl}/_sandbox/next`, { signal: AbortSignal.timeout(10_000) });
  const { dueAt } = (await answer.json()) as { dueAt: number | null };
  return Math.min(Number(row?.due ?? Number.POSITIVE_INFINITY), dueAt ?? Number.POSITIVE_INFINITY);
}
