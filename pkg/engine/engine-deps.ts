import type { Logger } from '../base/log.ts';
import type { ProductClock } from '../base/product-clock.ts';
import type { EngineMetrics } from '../metrics/executor-metrics.ts';
import type { NetworkProviders } from '../providers/network/network-providers.ts';
import type { Outside } from './calls/outside.ts';
import type { FaultHook } from './fault-points.ts';
import type { LeaseKeeper } from './lease/lease-keeper.ts';
import type { KnownFor } from './lookups/known-for.ts';
import type { MailDesk } from './mail/mail-desk.ts';
import type { Pace } from './pace.ts';

/** What the engine of one workspace is made of. */
export interface EngineDeps {
  workspaceId: string;
  claim: LeaseKeeper;
  clock: ProductClock;
  providers: NetworkProviders;
  /** What call nodes reach; absent: the built-in writer, and adapters without settings. */
  outside?: Outside;
  /** Absent: no mail leaves this process. */
  mail?: MailDesk | undefined;
  newId: () => string;
  log: Logger;
  metrics: EngineMetrics;
  faults: FaultHook;
  /** Real ms that a batch may take for the effects of the next to be dispatched with their claim; absent: AT_ONCE_WITHIN_MS. */
  atOnceWithinMs?: number;
  /** What it may take of its process; absent: all of it (ALONE). */
  pace?: Pace;
  /** Months of history that have their partition, which is nobody's; absent: this engine remembers its own. */
  openMonths?: Set<string>;
  /** Since when outcomes are known to be unknown. */
  unknownFor: KnownFor;
  /** Called when nothing was done for a while; may stop the process for tens of ms. */
  giveBackMemory?: () => void;
}
