import { EVENT_REASONS, type EventReason } from '../api/condition-words.ts';
import type { KindName } from '../api/specs.ts';
import { findCondition } from '../kube/conditions.ts';
import { applyStatusIfChanged } from '../kube/status.ts';
import type { Condition, KubeObject } from '../kube/types.ts';
import { RESOURCES } from '../tools/resources/kinds.ts';
import type { OperatorContext } from './context.ts';
import { FIELD_MANAGER } from './names.ts';
import { type Conditioned, conditionsIn } from './object-conditions.ts';

/** Writes the status where it differs, and tells as Events what became of the object: refused, held, released. */
export async function showStatus(
  context: OperatorContext,
  kind: KindName,
  object: Conditioned,
  status: { conditions?: Condition[] | undefined },
): Promise<void> {
  const { client } = context;
  const before = conditionsIn(object);
  const { written } = await applyStatusIfChanged({
    client,
    resource: RESOURCES[kind],
    object,
    status,
    fieldManager: FIELD_MANAGER,
  });
  if (!written) return;
  for (const { reason, note } of newsOf(before, status.conditions ?? [])) tell(context, object, reason, note);
}

/** Records an Event about one of our objects. */
export function tell(
  { events }: Pick<OperatorContext, 'events'>,
  about: KubeObject,
  reason: EventReason,
  note: string,
): void {
  events.record(about, { type: EVENT_REASONS[reason], reason, action: 'Reconcile', note });
}

/** What two lists of conditions differ in that a person would want to hear of. */
export function newsOf(
  before: readonly Condition[],
  after: readonly Condition[],
): { reason: EventReason; note: string }[] {
  const news: { reason: EventReason; note: string }[] = [];
  const stalled = findCondition(after, 'Stalled');
  const known = findCondition(before, 'Stalled');
  const fresh = stalled && (stalled.reason !== known?.reason || stalled.message !== known.message);
  if (fresh && isTold(stalled.reason)) news.push({ reason: stalled.reason, note: stalled.message });
  const held = findCondition(after, 'Paused');
  const wasHeld = findCondition(before, 'Paused');
  if (held && held.message !== wasHeld?.message) news.push({ reason: 'Held', note: held.message });
  if (!held && wasHeld) news.push({ reason: 'Released', note: `No longer held. ${wasHeld.message}` });
  return news;
}

function isTold(reason: string): reason is EventReason {
  return Object.hasOwn(EVENT_REASONS, reason);
}
