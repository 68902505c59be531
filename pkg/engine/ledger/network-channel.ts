import type { NetworkProvider } from '../../providers/network/network-provider.ts';
import { ContentChannel } from '../content/content-channel.ts';
import type { EngineDeps } from '../engine-deps.ts';
import { checkInboxBefore } from '../mail/fresh-inbox.ts';
import type { ChannelAccount } from './channel-account.ts';
import type { EffectChannel } from './effect-channel.ts';
import { prepareEffect } from './prepare-effect.ts';
import { actionOf } from './send-outcome.ts';

/**
 * Clocks of provider and product may differ by this much. A trace that is missed would be sent again, so this is wide; older
 * messages with the same words are known by their ids.
 */
const CLOCK_SLACK_MS = 24 * 3_600_000;

/** Effects of a network account. */
export function networkChannel(deps: EngineDeps, provider: NetworkProvider, account: ChannelAccount): EffectChannel {
  const ref = { externalId: account.externalId };
  const content = new ContentChannel(deps, provider, account);
  return {
    settleAfterMs: provider.settleAfterMs,
    async prepare(effect, signal, note) {
      if (effect.request.claim.action === 'post') return content.prepare(effect, signal);
      await checkInboxBefore(deps, effect, signal);
      return prepareEffect(deps, provider, effect, signal, note);
    },
    perform: (effect, target, options) => {
      const { action, body } = effect.request.claim;
      if (action === 'post') return content.perform(effect, target, options);
      return provider.perform(ref, actionOf({ action, body, target }), options);
    },
    close: () => content.close(),
    lookup: (send, signal) => {
      if (send.action === 'post') return content.lookup(send, signal);
      const since = (send.dispatchedAt ?? 0) - CLOCK_SLACK_MS;
      return provider.lookupOutcome(ref, actionOf(send), since, { signal, otherRefs: send.otherRefs });
    },
  };
}
