import type { Clocks } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { Logger } from '../../base/log.ts';
import type { DeliveryMetrics } from '../../metrics/delivery-metrics.ts';
import type { Database } from '../../postgres/database.ts';
import type { Connections } from '../tool-context.ts';

/** What sending deliveries needs. */
export interface DeliveryWorkerDeps {
  db: Pick<Database, 'tx'>;
  clocks: Clocks;
  ids: Ids;
  log: Logger;
  connections: Connections;
  metrics: DeliveryMetrics;
}
