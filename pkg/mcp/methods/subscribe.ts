import { RpcError } from '../errors.ts';
import type { MessageContext, MessageServices } from '../handle-message.ts';
import { recordOf } from '../resources/records.ts';
import { GONE, readStates } from '../streams/record-states.ts';
import type { Method } from './method.ts';
import { notFoundCode, resourceNotFound, uriOf } from './resources.ts';
import { textOfTool } from './run-tool.ts';

/** Addresses per session or stream at most. */
export const MAX_SUBSCRIPTIONS = 100;

/** Sessions live a day; what outlives them is removed with the next subscription. */
const REMOVE_OLD = `delete from resource_subscription where created_at < clock_timestamp() - interval '2 days'`;

/** `resources/subscribe`: changes are told on the session's GET streams, whichever replica serves them. */
export const subscribe: Method = async (services, context, params) => {
  const uri = uriOf(params);
  const wish = await versionFor(services, context, uri);
  if (wish === undefined) return '{}';
  const { pool } = services.db;
  await pool.query(REMOVE_OLD);
  const made = await pool.query(
    `insert into resource_subscription (session_hash, uri, seen, stream)
     select $1, $2, $3, (select stream from resource_subscription where session_hash = $1 and stream is not null limit 1) where (select count(*) from resource_subscription where session_hash = $1) < $4
     on conflict (session_hash, uri) do update set seen = excluded.seen`,
    [context.sessionHash, uri, wish, MAX_SUBSCRIPTIONS],
  );
  if (made.rowCount === 0) {
    throw new RpcError(
      -32_602,
      `A session holds ${MAX_SUBSCRIPTIONS} subscriptions. Call resources/unsubscribe first.`,
    );
  }
  return '{}';
};

/** `resources/unsubscribe` */
export const unsubscribe: Method = async (services, context, params) => {
  await services.db.pool.query('delete from resource_subscription where session_hash = $1 and uri = $2', [
    context.sessionHash,
    uriOf(params),
  ]);
  return '{}';
};

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
