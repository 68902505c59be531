import type { EngineDeps } from '../engine-deps.ts';
import { openMailChannel } from '../mail/mail-channel.ts';
import type { ChannelAccount } from './channel-account.ts';
import type { EffectChannel } from './effect-channel.ts';
import { networkChannel } from './network-channel.ts';

/** The channel of an account. @throws Error that names the next step when it is not configured here */
export async function channelOf(deps: EngineDeps, account: ChannelAccount): Promise<EffectChannel> {
  if (account.kind === 'mail') return openMailChannel(deps, account);
  const provider = deps.providers(account.provider);
  if (!provider) throw new Error(`no adapter for provider ${account.provider} is configured`);
  return networkChannel(deps, provider, account);
}
