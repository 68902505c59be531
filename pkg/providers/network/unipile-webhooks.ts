import type { AccountRef } from './network-provider.ts';
import { webhookList } from './unipile-answers.ts';
import type { UnipileAnswer, UnipileCall, UnipileHttp } from './unipile-http.ts';
import { parsed, refuse } from './unipile-refusals.ts';

/** How our webhooks are named at the service, one for each kind of news. */
const NAME = 'outrider';
const SOURCES = ['users', 'messaging'];
/** Pages of webhooks that are looked through for ours. */
const MOST_PAGES = 100;

/**
 * Registers one webhook for each kind of news of the account, in the place of what an earlier registration under the same
 * address but for its last part left, whole or half. One that fails leaves none: what can not be taken back now goes with
 * the next. @throws ProviderError
 */
export async function registerWebhooks(
  http: UnipileHttp,
  account: AccountRef,
  url: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const under = url.slice(0, url.lastIndexOf('/') + 1);
  await removeWebhooks(http, account, under, signal);
  try {
    for (const source of SOURCES) {
      const json = { source, request_url: url, name: NAME, account_ids: [account.externalId] };
      await asked(http, { method: 'POST', path: ['webhooks'], json, effect: false, signal });
    }
  } catch (error) {
    await removeWebhooks(http, account, under, signal).catch(() => undefined);
    throw error;
  }
}

/** Removes those of this account alone; known by their address, so also those whose answer was lost. */
async function removeWebhooks(
  http: UnipileHttp,
  account: AccountRef,
  under: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const id of await ownWebhooks(http, account, under, signal)) {
    await asked(http, { method: 'DELETE', path: ['webhooks', id], effect: false, signal }, [404]);
  }
}

async function ownWebhooks(
  http: UnipileHttp,
  account: AccountRef,
  under: string,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const own: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = { limit: '100', cursor };
    const call = { method: 'GET' as const, path: ['webhooks'], query, effect: false, signal };
    const found = parsed(webhookList, await http.call(call), call.path);
    for (const { id, name, request_url, account_ids } of found.items) {
      const only = account_ids?.length === 1 && account_ids[0] === account.externalId;
      if (only && name === NAME && request_url?.startsWith(under)) own.push(id);
    }
    if (!found.cursor) break;
    cursor = found.cursor;
  }
  return own;
}

async function asked(http: UnipileHttp, call: UnipileCall, fine: readonly number[] = []): Promise<UnipileAnswer> {
  const answer = await http.call(call);
  if ((answer.status < 200 || answer.status >= 300) && !fine.includes(answer.status)) refuse(answer, false);
  return answer;
}
