import { endSubscription, keepSubscription } from '../../store/sessions/subscriptions.ts';
import { RpcError } from '../errors.ts';
import type { MessageContext, MessageServices } from '../handle-message.ts';
import { recordOf } from '../resources/records.ts';
import { GONE, readStates } from '../streams/record-states.ts';
import type { Method } from './method.ts';
import { notFoundCode, resourceNotFound, uriOf } from './resources.ts';
import { textOfTool } from './run-tool.ts';

/** Addresses per session or stream at most. */
export const MAX_SUBSCRIPTIONS = 100;

/** `resources/subscribe`: changes are told on the session's GET streams, whichever replica serves them. */
export const subscribe: Method = async (services, context, params) => {
  const uri = uriOf(params);
  const wish = await versionFor(services, context, uri);
  if (wish === undefined) return '{}';
  const subscription = { sessionHash: sessionOf(context), uri, seen: wish };
  const made = await services.db.tx({ kind: 'none' }, (tx) => keepSubscription(tx, subscription, MAX_SUBSCRIPTIONS));
  if (!made) {
    throw new RpcError(
      -32_602,
      `A session holds ${MAX_SUBSCRIPTIONS} subscriptions. Call resources/unsubscribe first.`,
    );
  }
  return '{}';
};

/** `resources/unsubscribe` */
export const unsubscribe: Method = async (services, context, params) => {
  const subscription = { sessionHash: sessionOf(context), uri: uriOf(params) };
  await services.db.tx({ kind: 'none' }, (tx) => endSubscription(tx, subscription));
  return '{}';
};

/** Only the era of sessions knows these methods. */
function sessionOf({ sessionHash }: MessageContext): Buffer {
  if (sessionHash === null) throw new Error('a subscription without a session');
  return sessionHash;
}

/**
 * The version of a record that the caller may read. What is not ours can be wished for and never changes.
 * @returns undefined for what never changes
 * @throws RpcError as reading would
 */
export async function versionFor(
  services: MessageServices,
  context: MessageContext,
  uri: string,
): Promise<string | undefined> {
  const record = recordOf(uri);
  if (!record) {
    if (
      uri.startsWith('outrider://') &&
      !uri.startsWith('outrider://guide/') &&
      !uri.startsWith('outrider://vocabulary/')
    ) {
      throw resourceNotFound(uri, notFoundCode(context.protocolVersion));
    }
    return undefined;
  }
  const { readTool, variable } = record.resource;
  const states = await readStates(services.db, [uri]);
  await textOfTool(services, context, readTool, { [variable]: record.id }, notFoundCode(context.protocolVersion));
  return states.get(uri)?.version ?? GONE;
}
