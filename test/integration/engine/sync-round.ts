import { randomUUID } from 'node:crypto';
import { createLogger } from '../../../pkg/base/log.ts';
import { syncAccount } from '../../../pkg/engine/sync/account-sync.ts';
import type { NetworkProvider } from '../../../pkg/providers/network/network-provider.ts';
import { type Bench, takeClaim } from './harness.ts';
import type { Place } from './place.ts';

/** One round of the account's sync. */
export async function syncRound(
  bench: Bench,
  at: Pick<Place, 'account'> & { network: NetworkProvider },
  more: { readWithinMs?: number; ingressUrl?: string } = {},
): Promise<void> {
  const claim = await takeClaim(bench, at.account, 'accounts-pod', 'account');
  await syncAccount({
    claim,
    clock: bench.clock,
    providers: () => at.network,
    newId: () => randomUUID(),
    log: createLogger('test', 'silent'),
    ...more,
  }).finally(() => claim.release());
}
