import type { EventKind } from '../event-kinds.ts';
import type { Digest, MailRules } from './mail-moment.ts';
import { NOTIFICATION_RULES, type NotificationChannel } from './notification-rules.ts';
import type { QuietHours } from './quiet-hours.ts';

/** What somebody chose; what is absent was not chosen. */
export interface Chosen {
  channels: Partial<Record<EventKind, readonly NotificationChannel[]>>;
  digest: Digest | null;
  /** Without a zone: the workspace's. An empty object: none on purpose. */
  quietHours: (Omit<QuietHours, 'timezone'> & { timezone?: string | undefined }) | Record<string, never> | null;
}

export const NOTHING_CHOSEN: Chosen = { channels: {}, digest: null, quietHours: null };

/** What is in force for a member. */
export interface Preferences extends MailRules {
  channelsOf(kind: EventKind): readonly NotificationChannel[];
  /** Whether the member named the kind: then it reaches them though they are not of its audience. */
  hasChosen(kind: EventKind): boolean;
}

/**
 * What a member chose, else what the workspace chose for its members, else what the product does, each kind and setting by itself: a
 * kind that is new is on where it tells of health, and off where it comes in volume.
 * @param timezone of the workspace
 */
export function preferencesOf(own: Chosen, workspace: Chosen, timezone: string): Preferences {
  const quiet = own.quietHours ?? workspace.quietHours;
  const quietHours =
    quiet === null || !('startHour' in quiet) || quiet.startHour === quiet.endHour
      ? null
      : { startHour: quiet.startHour, endHour: quiet.endHour, timezone: quiet.timezone ?? timezone };
  return {
    digest: own.digest ?? workspace.digest ?? 'off',
    quietHours,
    timezone: quietHours?.timezone ?? timezone,
    channelsOf: (kind) => own.channels[kind] ?? workspace.channels[kind] ?? NOTIFICATION_RULES[kind].channels,
    hasChosen: (kind) => own.channels[kind] !== undefined,
  };
}
