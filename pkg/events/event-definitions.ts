import type { EventKind } from '../domain/event-kinds.ts';
import { ACCOUNT_EVENTS } from './account-events.ts';
import type { EventDefinition } from './event-definition.ts';
import { FOUND_EVENTS } from './found-events.ts';
import { LEAD_EVENTS } from './lead-events.ts';
import { MESSAGE_EVENTS } from './message-events.ts';
import { RUN_EVENTS } from './run-events.ts';
import { WORKSPACE_EVENTS } from './workspace-events.ts';

/** Each kind of event with what there is to know of it; a kind that is not defined does not compile. */
export const EVENT_DEFINITIONS: Readonly<Record<EventKind, EventDefinition>> = {
  ...LEAD_EVENTS,
  ...RUN_EVENTS,
  ...MESSAGE_EVENTS,
  ...ACCOUNT_EVENTS,
  ...FOUND_EVENTS,
  ...WORKSPACE_EVENTS,
};
