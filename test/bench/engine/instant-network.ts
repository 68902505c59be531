import { hashFloat } from '../../../pkg/domain/random.ts';
import {
  type AccountRef,
  type NetworkAction,
  type PerformResult,
  ProviderError,
} from '../../../pkg/providers/network/network-provider.ts';
import { FakeNetwork } from '../../fixtures/engine/fake-network.ts';

/** Shares of answers that refuse or get lost, so that the ledger passes through all of its states. */
const REFUSED = 0.005;
const LOST = 0.01;

/** A network that answers in process at once. */
export class InstantNetwork extends FakeNetwork {
  performed = 0;
  /** Called with the public id at each action, before it is done. */
  onAction: (publicId: string) => void = () => undefined;

  override perform(_account: AccountRef, action: NetworkAction): Promise<PerformResult> {
    this.performed++;
    this.onAction(action.publicId);
    const draw = hashFloat('bench', action.publicId);
    if (draw < REFUSED) return Promise.reject(new ProviderError('rejected', 'refused'));
    if (draw < LOST) return Promise.reject(new ProviderError('unknown_outcome', 'lost'));
    return Promise.resolve({ ref: 'done' });
  }
}
