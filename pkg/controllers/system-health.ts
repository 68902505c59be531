import type { PeriodicJob } from '../base/periodic.ts';
import { keepSystemHealth } from '../store/figures/system-health.ts';
import type { OperatorContext } from './context.ts';

/** Real ms between looks; svc_admin_get_system_health takes a leader that was not seen for a minute for none. */
const EVERY_MS = 15_000;
const WITHIN_MS = 30_000;

/** The leader keeps since when each part of the installation is as it is, and with it that it is there. */
export function systemHealthJob({ db, clocks }: OperatorContext): PeriodicJob {
  const run = (): Promise<void> => {
    const now = { product: clocks.product.now(), real: clocks.real.now() };
    return db.tx({ kind: 'platform' }, (tx) => keepSystemHealth(tx, now));
  };
  return { name: 'system-health', everyMs: EVERY_MS, withinMs: WITHIN_MS, run };
}
