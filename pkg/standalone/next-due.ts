import { z } from 'zod';
import type { Database } from '../postgres/database.ts';
import { IS_SYNCED } from '../store/runs/wake.ts';

const nextSchema = z.object({ dueAt: z.number().nullable() });

/**
 * The next moment at which anything happens: a workspace's or account's wake, or the sandbox's population.
 * @returns epoch ms product time; a moment in the past means that work is under way
 */
export async function nextDue(db: Database, sandboxUrl: string, apiKey: string): Promise<number | null> {
  const [engine, sandbox] = await Promise.all([engineDue(db), sandboxDue(sandboxUrl, apiKey)]);
  const known = [engine, sandbox].filter((due): due is number => due !== null);
  return known.length === 0 ? null : Math.min(...known);
}

function engineDue(db: Database): Promise<number | null> {
  return db.read({ kind: 'platform' }, async (tx) => {
    const row = await tx.row<{ due: number | null }>(
      `select least(
         (select min(k.due_at) from workspace_wake k join workspace w on w.id = k.workspace_id
          where w.deleted_at is null and w.operating_mode = 'Running'),
         (select min(k.due_at) from account_wake k where ${IS_SYNCED})) as due`,
    );
    return row?.due ?? null;
  });
}

async function sandboxDue(url: string, apiKey: string): Promise<number | null> {
  const response = await fetch(`${url}/_sandbox/next`, {
    headers: { 'x-api-key': apiKey },
    signal: AbortSignal.timeout(2_000),
  });
  return nextSchema.parse(await response.json()).dueAt;
}
