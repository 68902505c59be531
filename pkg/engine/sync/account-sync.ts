import { createHash, randomBytes } from 'node:crypto';
import { monotonicMs } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { ProductClock } from '../../base/product-clock.ts';
import {
  type NetworkInvitation,
  type NetworkProvider,
  type NetworkRelation,
  type Page,
  ProviderError,
} from '../../providers/network/network-provider.ts';
import type { NetworkProviders } from '../../providers/network/network-providers.ts';
import { keepHealth } from '../../store/accounts/account-health.ts';
import {
  accountExpects,
  beginSync,
  connectedProviders,
  finishSync,
  keepStatus,
  keepWebhookBase,
  keepWebhookSecret,
  pendingRequests,
  personsByProviderId,
  personsOf,
  readSyncAccount,
  requestsGone,
  type SyncAccount,
} from '../../store/accounts/account-sync.ts';
import { countByHand, type SeenAction } from '../../store/accounts/hand-actions.ts';
import { recordAcceptance } from '../../store/inbox/inbox.ts';
import type { LeaseKeeper } from '../lease/lease-keeper.ts';
import type { MailDesk } from '../mail/mail-desk.ts';
import { syncMailbox } from '../mail/mail-sync.ts';
import { type ChatsRead, OVERLAP_MS, syncChats, syncUnread } from './sync-chats.ts';

const MINUTE_MS = 60_000;
/** Next look while runs wait for news of the account: without webhooks, and with them, whose hint comes sooner. */
const EXPECTING_MS = 4 * 60 * MINUTE_MS;
const EXPECTING_HINTED_MS = 8 * 60 * MINUTE_MS;
/** Next look while nobody waits for news. */
const QUIET_MS = 12 * 60 * MINUTE_MS;
/**
 * So often the connections are read to the end, or the bound; in between, as after each hint, only those since the last time, and of a
 * day before: the network counts what an account reads.
 */
const RELATIONS_EVERY_MS = 4 * 60 * MINUTE_MS;
const RELATIONS_OVERLAP_MS = 24 * 60 * MINUTE_MS;
/** A list may lag behind an action of ours by this much; a younger request is not called gone. */
const LIST_LAG_MS = 60 * MINUTE_MS;
const GRID_MS = 5 * MINUTE_MS;
/**
 * Real ms of a round, which may take a minute, within which it begins to read conversations. Of an account with thousands of
 * them the next rounds read the rest, and begin so soon (product ms).
 */
const READ_WITHIN_MS = 40_000;
/** The share of it in which lists of relations and requests are read on: the conversations are what must not wait. */
const RELATIONS_SHARE = 0.4;
const READ_ON_MS = 5 * MINUTE_MS;
/** After such a round; an account that is not connected holds everybody up until it is seen to be again. */
const SOON: ReadonlySet<ChatsRead | 'not looked'> = new Set(['some left', 'not looked']);
const PAGE = 100;
const MAX_PAGES = 10;

export interface SyncDeps {
  claim: LeaseKeeper;
  clock: ProductClock;
  providers: NetworkProviders;
  mail?: MailDesk | undefined;
  newId: () => string;
  log: Logger;
  /** Base address of the ingress that providers may call; undefined: no webhooks. */
  ingressUrl?: string | undefined;
  /** Instead of {@link READ_WITHIN_MS}. */
  readWithinMs?: number;
}

/** One round of sync of the claimed account: status, acceptances, vanished requests, conversations and replies. */
export async function syncAccount(deps: SyncDeps): Promise<void> {
  const { claim, clock } = deps;
  const account = await claim.tx(async (tx) => {
    await beginSync(tx, claim.key);
    return readSyncAccount(tx, claim.key);
  });
  if (account?.kind === 'mail') return syncMailbox(deps);
  if (!account) return;
  const provider = deps.providers(account.provider);
  // Nothing would move its due time, and accounts that stay due keep the others from their turn.
  if (!provider) throw new Error(`the provider ${account.provider} is not configured in this process`);
  const startedAt = clock.now();
  const readWithinMs = deps.readWithinMs ?? READ_WITHIN_MS;
  const begunMs = monotonicMs();
  const { status } = await provider.getAccount(account, claim.signal);
  await claim.tx((tx) => keepStatus(tx, account.id, status, startedAt));
  let { webhookBase } = account;
  let network: NetworkSeen | undefined;
  // What comes while the account is not connected is read when it is again.
  let chats: ChatsRead | 'not looked' = 'not looked';
  // What people wrote is read also where the lists of relations can not be; the round failed all the same.
  let failed: unknown;
  if (status === 'ok') {
    webhookBase = await ensureWebhook(deps, provider, account);
    const times = { now: startedAt, until: begunMs + readWithinMs * RELATIONS_SHARE };
    network = await syncRelations(deps, provider, account, times).catch((error: unknown) => {
      if (!(error instanceof ProviderError) || error.kind === 'rate_limited') throw error;
      failed = error;
      return undefined;
    });
    chats = await syncChats(deps, provider, account, { now: startedAt, until: begunMs + readWithinMs });
    await syncUnread(deps, provider, account, startedAt);
  }
  if (failed !== undefined) throw failed;
  await claim.tx(async (tx) => {
    await keepHealth(tx, account.id, startedAt);
    const expects = await accountExpects(tx, account.id);
    await finishSync(tx, account.id, {
      startedAt,
      nextAt: onGrid(startedAt + (SOON.has(chats) ? READ_ON_MS : nextIn(expects, webhookBase !== ''))),
      state: {
        webhookBase,
        ...(chats === 'all read' ? { chatsUntil: startedAt - OVERLAP_MS, chatsReadAt: startedAt } : {}),
        ...network,
      },
    });
  });
}

function nextIn(expects: boolean, hinted: boolean): number {
  if (!expects) return QUIET_MS;
  return hinted ? EXPECTING_HINTED_MS : EXPECTING_MS;
}

/** Accounts meet on a grid, so that one wake-up serves many of them. */
function onGrid(at: number): number {
  return Math.ceil(at / GRID_MS) * GRID_MS;
}

/**
 * Registers a webhook with a secret of its own when the account has none for this ingress, and keeps that it has one at once:
 * what comes after it in the round may fail. A crash in between leaves one at the provider whose secret nobody knows: its
 * calls are answered 404 until the next registration takes its place.
 * @returns the ingress that webhooks come to; '' when there is none
 */
async function ensureWebhook(deps: SyncDeps, provider: NetworkProvider, account: SyncAccount): Promise<string> {
  const { ingressUrl, claim, log } = deps;
  if (!ingressUrl || !provider.registerWebhook || account.webhookBase === ingressUrl) return account.webhookBase;
  const secret = randomBytes(24).toString('base64url');
  try {
    await claim.tx((tx) => keepWebhookSecret(tx, account.id, createHash('sha256').update(secret).digest()));
    await provider.registerWebhook(account, `${ingressUrl}/hooks/${secret}`, claim.signal);
    await claim.tx((tx) => keepWebhookBase(tx, account.id, ingressUrl));
    return ingressUrl;
  } catch (error) {
    log.warn({ accountId: account.id, reason: messageOf(error) }, 'webhook could not be registered; polling goes on');
    // The one before calls with a secret that is not known any more.
    return '';
  }
}

/** As `networkSize` and the next round read it. */
type NetworkSeen = { connections: number; connectionsCut: boolean; relationsReadAt: number };

/**
 * New connections are acceptances; a request that is neither pending nor connected any more is gone.
 * @param times `now`: epoch ms product time; `until`: monotonic ms after which no further page is read
 * @returns how many connections the provider lists, or the bound where it lists more; undefined when not all were looked at
 */
async function syncRelations(
  deps: SyncDeps,
  provider: NetworkProvider,
  account: SyncAccount,
  { now, until }: { now: number; until: number },
): Promise<NetworkSeen | undefined> {
  const { claim } = deps;
  const options = (cursor: string | null): { limit: number; signal: AbortSignal; cursor?: string } => ({
    limit: PAGE,
    signal: claim.signal,
    ...(cursor ? { cursor } : {}),
  });
  // In this order: who accepts in between stands in both lists, and not in none.
  const sent = await pages(until, (cursor) => provider.listSentInvitations(account, options(cursor)));
  const since = now - account.relationsReadAt < RELATIONS_EVERY_MS ? account.relationsReadAt - RELATIONS_OVERLAP_MS : 0;
  const isKnown = ({ connectedAt }: NetworkRelation): boolean => connectedAt !== null && connectedAt < since;
  const listed = await pages(until, (cursor) => provider.listRelations(account, options(cursor)), isKnown);
  const [invitations, relations] = [sent.items, listed.items];
  await claim.tx(async (tx) => {
    const known = await personsOf(
      tx,
      account.id,
      [...relations, ...invitations].flatMap((one) => (one.publicId ? [one.publicId] : [])),
    );
    const byId = await personsByProviderId(
      tx,
      account.id,
      [...relations, ...invitations].map((one) => one.providerId),
    );
    const connected = new Set<string>();
    const settled = await connectedProviders(tx, account.id);
    for (const relation of relations) {
      const persons = [...(byId.get(relation.providerId) ?? []), ...(known.get(relation.publicId ?? '') ?? [])];
      for (const personId of persons) connected.add(personId);
      if (settled.has(relation.providerId)) continue;
      for (const personId of new Set(persons))
        await recordAcceptance(tx, {
          now,
          accountId: account.id,
          personId,
          providerId: relation.providerId,
          at: relation.connectedAt ?? now,
        });
    }
    const pending = new Set(invitations.map((invitation) => invitation.providerId));
    // The provider does not always tell its own id of them.
    const asked = new Set(invitations.flatMap(({ publicId }) => known.get(publicId ?? '') ?? []));
    const gone = (await pendingRequests(tx, account.id, now - LIST_LAG_MS)).filter(
      ({ providerId, personId }) =>
        providerId && !pending.has(providerId) && !asked.has(personId) && !connected.has(personId),
    );
    await countByHand(tx, account.id, now, requestsSeen(invitations, known, byId, account.chatsUntil === 0 ? 0 : now));
    // A list that was cut off proves nothing about what it lacks.
    if (!sent.whole || listed.late) return;
    await requestsGone(
      tx,
      account.id,
      gone.map((request) => request.personId),
    );
  });
  if (listed.late || listed.known) return undefined;
  return { connections: relations.length, connectionsCut: !listed.whole, relationsReadAt: now };
}

/** Pending requests as units of the budgets; `unknownAt` stands for a time that the provider does not tell. */
function requestsSeen(
  invitations: readonly NetworkInvitation[],
  known: ReadonlyMap<string, string[]>,
  byId: ReadonlyMap<string, string[]>,
  unknownAt: number,
): SeenAction[] {
  return invitations.flatMap(({ invitationId, providerId, publicId, text, sentAt }) => {
    const person = byId.get(providerId)?.[0] ?? known.get(publicId ?? '')?.[0] ?? null;
    const seen = { ref: invitationId, person, body: text, at: sentAt ?? unknownAt };
    const request: SeenAction = { ...seen, action: 'connection_request' };
    return text ? [request, { ...seen, action: 'connection_request_with_note' as const }] : [request];
  });
}

/** What was read of a list: `whole`, up to the bound, until there was no time for more (`late`), or to what is known already. */
interface Listed<T> {
  items: T[];
  whole: boolean;
  late: boolean;
  known: boolean;
}

/** Reads pages, one at least, until the end, the bound, `until` (monotonic ms), or one that ends with what `isKnown`. */
async function pages<T>(
  until: number,
  read: (cursor: string | null) => Promise<Page<T>>,
  isKnown: (item: T) => boolean = () => false,
): Promise<Listed<T>> {
  const items: T[] = [];
  const cut = { items, whole: false, late: false, known: false };
  let cursor: string | null = null;
  for (let count = 0; count < MAX_PAGES; count++) {
    if (count > 0 && monotonicMs() >= until) return { ...cut, late: true };
    const page: Page<T> = await read(cursor);
    items.push(...page.items);
    cursor = page.cursor;
    const last = page.items.at(-1);
    if (cursor === null || last === undefined) return { ...cut, whole: true };
    if (isKnown(last)) return { ...cut, known: true };
  }
  return cut;
}
