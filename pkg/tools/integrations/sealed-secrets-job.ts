import type { Gauge } from 'prom-client';
import type { PeriodicJob } from '../../base/periodic.ts';
import type { Sealer } from '../../base/sealer.ts';
import type { Database } from '../../postgres/database.ts';
import { resealAll } from '../../store/secrets/reseal.ts';

/** Real ms: a rotation takes hours. */
const EVERY_MS = 600_000;
const WITHIN_MS = 60_000;

/** Counts which key sealed the stored secrets, so that a rotation shows when it is done, and a key that was lost at all. */
export function sealedSecretsJob(db: Database, sealer: Sealer, gauge: Gauge<'sealed_by'>): PeriodicJob {
  return {
    name: 'sealed-secrets',
    everyMs: EVERY_MS,
    withinMs: WITHIN_MS,
    async run() {
      const tables = await resealAll((work) => db.tx({ kind: 'platform' }, work), sealer, { dryRun: true });
      for (const by of ['current', 'old', 'unknown'] as const) {
        const count = tables.reduce((sum, table) => sum + table[by], 0);
        gauge.set({ sealed_by: by }, count);
      }
    },
  };
}
