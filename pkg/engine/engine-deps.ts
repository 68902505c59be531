import type { Logger } from '../base/log.ts';
import type { ProductClock } from '../base/product-clock.ts';
import type { ExecutorMetrics } from '../metrics/executor-metrics.ts';
import type { NetworkProvider } from '../providers/network/network-provider.ts';
import type { ClaimKeeper } from './claim-keeper.ts';
import type { FaultHook } from './fault-points.ts';

/** Chooses the adapter of an account by its provider name; undefined: not configured here. */
export type ProviderChoice = (provider: string) => NetworkProvider | undefined;

/** What the engine of one workspace is made of. */
export interface EngineDeps {
  workspaceId: string;
  claim: ClaimKeeper;
  clock: ProductClock;
  providers: ProviderChoice;
  newId: () => string;
  log: Logger;
  metrics: ExecutorMetrics;
  faults: FaultHook;
}
