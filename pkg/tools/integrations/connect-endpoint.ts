import { randomBytes } from 'node:crypto';
import type { EventKind } from '../../domain/event-kinds.ts';
import { rotateSecret } from '../../domain/webhook-secrets.ts';
import { STANDARD_SECRET_PREFIX } from '../../domain/webhook-signature.ts';
import type { Tx } from '../../postgres/database.ts';
import { countEndpoints, follow, MOST_ENDPOINTS } from '../../store/deliveries/followers.ts';
import { followAsChosen, keepOwnEndpoint } from '../../store/notifications/own-endpoints.ts';
import { apiKeyOf } from '../api-key-of.ts';
import { invalidInput } from '../errors.ts';
import type { Connections, ToolContext } from '../tool-context.ts';
import { checkConnection } from './check-connection.ts';
import { chosenEvents } from './chosen-events.ts';
import type { ConnectRequest } from './connect-request.ts';
import type { IntegrationKind } from './integration-row.ts';
import { replay, requireDeliveries, requireReplayable } from './replay.ts';
import { type Connected, type OwnIntegration, ownIntegration, storeIntegration } from './store-integration.ts';

const SECRET_BYTES = 32;

/** What events are delivered to. */
export type EndpointKind = 'webhook' | 'chat';

export function isEndpoint(kind: IntegrationKind): kind is EndpointKind {
  return kind === 'webhook' || kind === 'chat';
}

interface Endpoint {
  kind: EndpointKind;
  request: ConnectRequest;
  /** As it is stored; undefined: it is new. */
  found: OwnIntegration | undefined;
}

/** Connects a webhook or a chat, or changes one: tries it first, so that nothing is stored that does not answer. */
export async function connectEndpoint(
  ctx: ToolContext,
  connections: Connections,
  endpoint: Endpoint,
): Promise<Connected> {
  const { kind, request, found } = endpoint;
  if (request.credentials !== undefined)
    throw invalidInput(
      'credentials',
      `a ${kind} has none; ${kind === 'chat' ? 'its url opens it' : 'its signingSecret is made here'}`,
    );
  const owner = ownerOf(ctx, request, found);
  const events = eventsFor(ctx, request, found);
  const { deliveryIds } = request;
  if (deliveryIds) await ctx.tx((tx) => requireDeliveries(tx, found?.id ?? null, deliveryIds));
  requireReplayable(request);
  const stored = found ? opened(connections, found) : {};
  const url = request.url ?? stored['url'] ?? found?.url;
  if (url === undefined || url === '') throw invalidInput('url', `is required for a ${kind}`);
  const secret = kind === 'webhook' && renews(request, found) ? newSecret() : undefined;
  const now = ctx.clocks.real.now();
  const credentials = credentialsOf({ kind, stored, url, secret, now });
  const { provider } = request;
  await checkConnection({ provider, url, credentials, workspaceId: ctx.workspaceId, now }, connections, ctx.signal);
  return ctx.repeatable<Connected>(ctx.workspaceId, {
    // Made again, the call renews what it connected: the secret of a webhook was lost with the answer.
    work: async (tx, earlier) => {
      const made = earlier && (await ownIntegration(tx, ctx.workspaceId, { ...earlier, provider }));
      const integrationId = found?.id ?? made?.id ?? ctx.ids.name('int');
      if (!found && !made) await requireRoom(tx, ctx.workspaceId);
      // The receiver still has the secret from before the lost answer, which nobody has.
      const kept = earlier && found ? { ...credentials, ...oldSecretOf(stored) } : credentials;
      const sealed = connections.sealer.seal(JSON.stringify(kept), `integration:${integrationId}`);
      await storeIntegration(tx, ctx, { integrationId, kind, request, url: kind === 'chat' ? '' : url, sealed });
      if (owner !== null) {
        if (!found || request.url !== undefined) await keepOwnEndpoint(tx, integrationId, owner, subscriberOf(ctx).key);
        await followAsChosen(tx, ctx.workspaceId, owner);
      } else if (events) await follow(tx, { integrationId, events, ...subscriberOf(ctx) });
      const replayed = earlier?.replayed ?? (await replay(tx, ctx, integrationId, request));
      return { integrationId, status: 'connected', authUrl: null, signingSecret: secret ?? null, replayed };
    },
    did: () => true,
  });
}

/**
 * The user whose own the endpoint is; null: the workspace's.
 * @throws UserError for another member's, and where nobody stands behind the key or the events are given
 */
function ownerOf(
  { caller }: ToolContext,
  { personal, integrationId, events, webhookTemplateId }: ConnectRequest,
  found: OwnIntegration | undefined,
): string | null {
  if (!personal && !found?.memberUser) return null;
  if (personal && found && found.memberUser === null)
    throw invalidInput(
      'personal',
      `"${integrationId}" is the workspace's; leave integrationId out to connect one of your own`,
    );
  const user = caller.user?.id;
  if (user === undefined) throw invalidInput('personal', 'needs the key of a person; this one is the workspace’s');
  if (found && found.memberUser !== user)
    throw invalidInput(
      'integrationId',
      'is another member’s own; only they change it, svc_disconnect_integration ends it',
    );
  if (events !== undefined || webhookTemplateId !== undefined)
    throw invalidInput(
      events === undefined ? 'webhookTemplateId' : 'events',
      'is not for one of your own: svc_update_notification_preferences chooses what it follows',
    );
  return user;
}

/**
 * What the endpoint is to follow; undefined: what it follows. Who sends its events to another address, or has them sent again, reads
 * them: they need the scopes of all of it, and another address is theirs from then on.
 */
function eventsFor(
  ctx: ToolContext,
  request: ConnectRequest,
  found: OwnIntegration | undefined,
): EventKind[] | undefined {
  const chosen = chosenEvents(ctx, request);
  if (chosen || !found || found.events.length === 0) return chosen;
  const moves = request.url !== undefined;
  if (!moves && request.replayFrom === undefined && request.deliveryIds === undefined) return undefined;
  const followed = chosenEvents(ctx, { events: found.events });
  return moves ? followed : undefined;
}

/** A new webhook has a new secret, and one that is given its address again, or nothing else to change. */
function renews(request: ConnectRequest, found: OwnIntegration | undefined): boolean {
  if (!found || request.url !== undefined) return true;
  const { name, events, webhookTemplateId, replayFrom, deliveryIds } = request;
  return [name, events, webhookTemplateId, replayFrom, deliveryIds].every((given) => given === undefined);
}

/** Libraries of Standard Webhooks take it as it is. */
function newSecret(): string {
  return `${STANDARD_SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

interface Kept {
  kind: EndpointKind;
  stored: Record<string, string>;
  url: string;
  secret: string | undefined;
  /** Epoch ms, real time. */
  now: number;
}

function credentialsOf({ kind, stored, url, secret, now }: Kept): Record<string, string> {
  // The address of a chat opens it.
  if (kind === 'chat') return { url };
  return secret === undefined ? stored : rotateSecret(stored, secret, now);
}

function oldSecretOf({ oldSecret, oldSecretUntil }: Record<string, string>): Record<string, string> {
  return oldSecret === undefined || oldSecretUntil === undefined ? {} : { oldSecret, oldSecretUntil };
}

/** What is stored; nothing where it does not open any more, which connecting it anew mends. */
function opened({ sealer }: Connections, { id, sealed }: OwnIntegration): Record<string, string> {
  if (!sealed) return {};
  try {
    return JSON.parse(sealer.open(sealed, `integration:${id}`)) as Record<string, string>;
  } catch {
    return {};
  }
}

function subscriberOf({ caller }: ToolContext): { key: string | null; user: string | null } {
  return { key: apiKeyOf(caller), user: caller.user?.id ?? null };
}

async function requireRoom(tx: Tx, workspaceId: string): Promise<void> {
  if ((await countEndpoints(tx, workspaceId)) < MOST_ENDPOINTS) return;
  throw invalidInput(
    'provider',
    `a workspace has ${MOST_ENDPOINTS} webhooks and chats at most; call svc_disconnect_integration for one that nobody needs`,
  );
}
