import { z } from 'zod';
import { RpcError } from '../errors.ts';
import type { MessageContext, MessageServices } from '../handle-message.ts';
import { sendEvent } from '../http-io.ts';
import { MAX_SUBSCRIPTIONS, versionFor } from '../methods/subscribe.ts';
import type { EventStreams } from '../streams/event-streams.ts';
import type { ResourceWatcher } from '../streams/watcher.ts';
import { META } from './era.ts';
import type { StatelessExchange } from './exchange.ts';
import { statelessResult } from './results.ts';

/** Streams and what is told on them. */
export interface Listening {
  streams: EventStreams;
  watcher: ResourceWatcher;
}

const filterSchema = z.looseObject({
  toolsListChanged: z.boolean().optional(),
  promptsListChanged: z.boolean().optional(),
  resourcesListChanged: z.boolean().optional(),
  resourceSubscriptions: z.array(z.string().min(1).max(400)).max(MAX_SUBSCRIPTIONS).optional(),
});

/**
 * `subscriptions/listen`: holds the stream until either side ends it. Lists change with a deployment only, which ends
 * the stream, so that of the filter only resources are honoured; the acknowledgement says so.
 * @throws RpcError for a bad filter, or an address that the caller can not read
 */
export async function listen(
  services: MessageServices,
  listening: Listening,
  context: MessageContext,
  exchange: StatelessExchange,
): Promise<void> {
  const { response, message } = exchange;
  const { caller } = await services.gate.current(context);
  const filter = filterSchema.safeParse(message.params['notifications']);
  if (!filter.success) {
    const text = `Invalid params: notifications: an object of flags and at most ${MAX_SUBSCRIPTIONS} resourceSubscriptions.`;
    throw new RpcError(-32_602, text, { status: 400 });
  }
  const wanted = [...new Set(filter.data.resourceSubscriptions ?? [])];
  const wishes = new Map<string, string>();
  for (const uri of wanted) {
    const version = await versionFor(services, context, uri);
    if (version !== undefined) wishes.set(uri, version);
  }
  const tag = { [META.subscription]: message.id };
  const tell = (method: string, params: object): void =>
    sendEvent(response, JSON.stringify({ jsonrpc: '2.0', method, params: { _meta: tag, ...params } }));
  const honoured = filter.data.resourceSubscriptions === undefined ? {} : { resourceSubscriptions: wanted };
  await listening.streams.keep(caller.keyId, response, {
    opened: (ended) => {
      tell('notifications/subscriptions/acknowledged', { notifications: honoured });
      const listener = {
        sessionHash: null,
        wishes,
        caller: async () => (await services.gate.current(context)).caller,
        updated: async (uri: string) => tell('notifications/resources/updated', { uri }),
        end: () => response.end(),
      };
      listening.watcher.add(listener, ended);
    },
    allowed: () => services.gate.current(context),
    closing: () => {
      const result = statelessResult('subscriptions/listen', '{}', services.version, tag);
      sendEvent(response, `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`);
    },
  });
}
