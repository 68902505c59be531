import { EVENT_KINDS, type EventKind } from '../../domain/event-kinds.ts';
import { EVENT_DEFINITIONS } from '../../events/event-definitions.ts';
import type { ToolContext } from '../tool-context.ts';

/** Whose notifications a caller sees: a person their own, a workspace's key those of all members (null). */
export function ownUser(ctx: ToolContext): string | null {
  return ctx.caller.user?.id ?? null;
}

/** Kinds whose events the caller's key may read: a notification tells no more than its event. */
export function readableKinds({ caller }: ToolContext): EventKind[] {
  return EVENT_KINDS.filter((kind) => caller.scopes.has(EVENT_DEFINITIONS[kind].scope));
}
