import type { EventKind } from '../event-kinds.ts';

/** Of what the engine tells members directly, in words of its own; all else is told from events. A new kind is a line here. */
export type NotificationKind = Extract<
  EventKind,
  'reply.received' | 'review.pending' | 'review.expired' | 'account.status_changed' | 'run.step_done' | 'report.ready'
>;
