import { randomUUID } from 'node:crypto';
import { UserError } from '../../base/errors.ts';
import { validSecrets } from '../../domain/webhook-secrets.ts';
import { checkOwnModel, isVendor } from '../../providers/ai/own-writer.ts';
import { CallError } from '../../providers/call-error.ts';
import { ENRICHMENT_VENDORS } from '../../providers/enrichment/choose-enrichment.ts';
import { checkOwnProvider } from '../../providers/enrichment/own-desk.ts';
import { CRMS, OUTREACH_PLATFORMS } from '../../providers/integrations.ts';
import { deliverChat } from '../../providers/webhook/deliver-chat.ts';
import { deliverWebhook } from '../../providers/webhook/deliver-webhook.ts';
import type { Connections } from '../tool-context.ts';

/** What a connection is tried with. */
export interface Attempt {
  provider: string;
  /** A webhook's target, else an address other than the provider's own; '' for none. */
  url: string;
  credentials: Readonly<Record<string, string>>;
  workspaceId: string;
  /** Epoch ms real time. */
  now: number;
}

const TIMEOUT_MS = 15_000;

/** Asks the other side whether the credentials open it; a webhook gets a signed `ping`. @throws UserError with what it said */
export async function checkConnection(attempt: Attempt, { reachOf }: Connections, signal: AbortSignal): Promise<void> {
  const { provider, url, credentials } = attempt;
  const within = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    if (provider === 'webhook') return await ping(attempt, reachOf(url), within);
    if (provider === 'slack') return await greet(url, reachOf(url), within);
    if (isVendor(provider)) {
      const opens = { token: credentials['token'] ?? '', model: credentials['model'] ?? '' };
      return await checkOwnModel(provider, url, opens, { reachOf, signal: within });
    }
    if (ENRICHMENT_VENDORS.has(provider)) {
      const opens = { url, token: credentials['token'] ?? '' };
      return await checkOwnProvider(provider, opens, { reachOf, signal: within });
    }
    const port = CRMS[provider] ?? OUTREACH_PLATFORMS[provider];
    if (!port) throw new Error(`${provider} has no adapter`);
    const address = url || port.url;
    await port.check({ url: address, token: credentials['token'] ?? '', reach: reachOf(address) }, within);
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    throw new UserError(
      `The test call failed: ${error.message}. Nothing was stored. Call svc_list_integrations.`,
      'ConnectionFailed',
    );
  }
}

async function ping(attempt: Attempt, reach: 'public' | 'any', signal: AbortSignal): Promise<void> {
  const { url, workspaceId, now, credentials } = attempt;
  const id = randomUUID();
  const occurredAt = new Date(now).toISOString();
  await deliverWebhook({
    url,
    event: 'ping',
    deliveryId: id,
    idempotencyKey: id,
    body: JSON.stringify({ id, kind: 'ping', occurredAt, workspaceId, sequence: 0, data: {} }),
    sentAt: now,
    secrets: validSecrets(credentials, now),
    timeoutMs: TIMEOUT_MS,
    reach,
    signal,
  });
}

/** A chat shows its test: who is there sees what will come. */
async function greet(url: string, reach: 'public' | 'any', signal: AbortSignal): Promise<void> {
  await deliverChat({ url, text: 'Outrider is connected to this channel.', timeoutMs: TIMEOUT_MS, reach, signal });
}
