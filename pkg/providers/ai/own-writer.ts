import { z } from 'zod';
import type { Sealer } from '../../base/sealer.ts';
import { CallError } from '../call-error.ts';
import type { AiWriter } from './ai-writer.ts';
import type { ChatEndpoint } from './chat-model.ts';
import { ANSWER_TIMEOUT_MS } from './choose-writer.ts';
import type { Learnt } from './json-form.ts';
import { modelWriter } from './model-writer.ts';
import { FRESH, sdkChat } from './sdk-chat.ts';
import { DEFAULT_URLS, VENDORS, type Vendor } from './vendors.ts';

/** A language model that a workspace connected, as it is stored. */
export interface OwnEndpoint {
  id: string;
  provider: string;
  url: string;
  sealed: Buffer | null;
}

/** What opens stored credentials, and where addresses that workspaces gave may lead. */
export interface OpensEndpoints {
  sealer: Sealer | undefined;
  reachOf(url: string): 'public' | 'any';
}

const credentialsSchema = z.object({ token: z.string(), model: z.string() });
/** What a model is tried with. */
const SMALL_REPLY = 'Thank you, tell me more.';
const CLOSED = 'the credentials of the own language model do not open; connect it again by svc_connect_integration';

/** Endpoints of which it is kept what they can, at most; the oldest is forgotten first. */
const MOST_LEARNT = 1_000;
const learntOf = new Map<string, Learnt>();

/**
 * The writer behind a workspace's own language model. Its texts cost no credits: the vendor is paid by the workspace. Nobody steps in for
 * it, so that no text goes to another vendor than the workspace chose.
 * @throws CallError `auth` where its credentials do not open
 */
export function ownWriter(own: OwnEndpoint, opens: OpensEndpoints): AiWriter {
  const { provider } = own;
  if (!isVendor(provider)) throw new CallError('refused', `${provider} is no vendor of language models`);
  const endpoint = ownEndpoint(provider, own.url, openedCredentials(own, opens), opens.reachOf);
  return { ...modelWriter(sdkChat(provider, endpoint, keptLearnt(endpoint))), billable: false };
}

/** Where a workspace's model is reached. */
export function ownEndpoint(
  vendor: Vendor,
  url: string,
  { token, model }: { token: string; model: string },
  reachOf: OpensEndpoints['reachOf'],
): ChatEndpoint {
  const address = url || DEFAULT_URLS[vendor];
  return { url: address, apiKey: token, model, timeoutMs: ANSWER_TIMEOUT_MS, reach: reachOf(address) };
}

/** Asks the model something small, so that a key that opens nothing is refused before it is stored. @throws CallError */
export async function checkOwnModel(
  vendor: Vendor,
  url: string,
  credentials: { token: string; model: string },
  { reachOf, signal }: { reachOf: OpensEndpoints['reachOf']; signal: AbortSignal },
): Promise<void> {
  await modelWriter(sdkChat(vendor, ownEndpoint(vendor, url, credentials, reachOf))).classify(SMALL_REPLY, 0, signal);
}

export function isVendor(provider: string): provider is Vendor {
  return (VENDORS as readonly string[]).includes(provider);
}

function openedCredentials({ id, sealed }: OwnEndpoint, { sealer }: OpensEndpoints): { token: string; model: string } {
  if (!sealed || !sealer) throw new CallError('auth', CLOSED);
  try {
    return credentialsSchema.parse(JSON.parse(sealer.open(sealed, `integration:${id}`)));
  } catch {
    throw new CallError('auth', CLOSED);
  }
}

/** What an endpoint can is learnt from its refusals; a writer is made per text, and does not learn it anew. */
function keptLearnt({ url, model }: ChatEndpoint): Learnt {
  const key = `${url} ${model}`;
  const known = learntOf.get(key) ?? { ...FRESH };
  learntOf.delete(key);
  learntOf.set(key, known);
  const [oldest] = learntOf.keys();
  if (learntOf.size > MOST_LEARNT && oldest !== undefined) learntOf.delete(oldest);
  return known;
}
