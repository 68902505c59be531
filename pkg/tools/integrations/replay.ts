import type { Tx } from '../../postgres/database.ts';
import {
  MOST_REPLAYED,
  missingDelivery,
  REPLAY_DAYS,
  replayDeliveries,
  replayEvents,
} from '../../store/deliveries/replay.ts';
import { invalidInput, notFound } from '../errors.ts';
import { iso } from '../times.ts';
import type { ToolContext } from '../tool-context.ts';
import type { ConnectRequest } from './connect-request.ts';

const DAY_MS = 86_400_000;

/** @throws UserError where a replay is asked for of nothing, or in two ways at once */
export function requireReplayable({ integrationId, replayFrom, replayTo, deliveryIds }: ConnectRequest): void {
  if (replayTo !== undefined && replayFrom === undefined) throw invalidInput('replayTo', 'needs replayFrom');
  if (replayFrom === undefined && deliveryIds === undefined) return;
  const field = replayFrom === undefined ? 'deliveryIds' : 'replayFrom';
  if (integrationId === undefined) throw invalidInput(field, 'needs integrationId; call svc_list_integrations');
  if (replayFrom !== undefined && deliveryIds !== undefined)
    throw invalidInput(field, 'and deliveryIds exclude each other');
}

/** @throws UserError not found for a delivery that is none of the endpoint's, or of the caller's where none is named */
export async function requireDeliveries(
  tx: Tx,
  integrationId: string | null,
  deliveryIds: readonly string[],
): Promise<void> {
  const missing = await missingDelivery(tx, integrationId, deliveryIds);
  if (missing !== undefined) throw notFound('delivery', missing);
}

/** Delivers again what the request names. @returns how many deliveries wait for it now; null: it names nothing */
export async function replay(
  tx: Tx,
  ctx: ToolContext,
  integrationId: string,
  { replayFrom, replayTo, deliveryIds }: ConnectRequest,
): Promise<number | null> {
  const now = ctx.clocks.product.now();
  if (deliveryIds !== undefined) return replayDeliveries(tx, integrationId, deliveryIds, now);
  if (replayFrom === undefined) return null;
  const from = Date.parse(replayFrom);
  const to = replayTo === undefined ? now : Date.parse(replayTo);
  const oldest = now - REPLAY_DAYS * DAY_MS;
  if (from < oldest) throw invalidInput('replayFrom', `must be within ${REPLAY_DAYS} days, from ${iso(oldest)} on`);
  if (to < from) throw invalidInput('replayTo', 'must not be before replayFrom');
  const newId = (): string => ctx.ids.uuid();
  const { replayed, upTo } = await replayEvents(tx, {
    workspaceId: ctx.workspaceId,
    integrationId,
    from,
    to,
    now,
    newId,
  });
  if (upTo === undefined) return replayed;
  throw invalidInput('replayTo', `more than ${MOST_REPLAYED} events lie between; go up to ${iso(upTo)} first`);
}
