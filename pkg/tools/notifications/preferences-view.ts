import { z } from 'zod';
import type { EventKind } from '../../domain/event-kinds.ts';
import { firstTimezone } from '../../domain/local-time.ts';
import { DIGESTS } from '../../domain/notifications/mail-moment.ts';
import { NOTIFICATION_CHANNELS, type NotificationChannel } from '../../domain/notifications/notification-rules.ts';
import { type Chosen, NOTHING_CHOSEN, preferencesOf } from '../../domain/notifications/preferences.ts';
import type { Tx } from '../../postgres/database.ts';
import { followedKinds, readChosen } from '../../store/notifications/preferences.ts';
import type { ToolContext } from '../tool-context.ts';
import { ownUser, readableKinds } from './own.ts';

/** Catalog record NotificationPreferences. */
export const preferencesRecord = z.object({
  channels: z.record(z.string(), z.array(z.enum(NOTIFICATION_CHANNELS))),
  digest: z.enum(DIGESTS),
  quietHours: z.object({ startHour: z.number(), endHour: z.number(), timezone: z.string() }).nullable(),
});
type PreferencesRecord = z.output<typeof preferencesRecord>;

/** What is in force for the caller: a person's own choice, or that of the workspace for a key of it. */
export async function readPreferences(tx: Tx, ctx: ToolContext): Promise<PreferencesRecord> {
  const { workspaceId } = ctx;
  const userId = ownUser(ctx);
  const ofWorkspace = (await readChosen(tx, { workspaceId, userId: null })) ?? NOTHING_CHOSEN;
  const own: Chosen =
    userId === null ? NOTHING_CHOSEN : ((await readChosen(tx, { workspaceId, userId })) ?? NOTHING_CHOSEN);
  const row = await tx.row<{ timezone: string }>('select timezone from workspace where id = $1', [workspaceId]);
  const { channelsOf, digest, quietHours } = preferencesOf(own, ofWorkspace, firstTimezone(row?.timezone));
  const followed = await followedKinds(tx, { workspaceId, userId });
  // An endpoint that was chosen, and is gone or follows the kind no more, tells nobody.
  const reaches = (kind: EventKind, channel: NotificationChannel): boolean =>
    channel === 'in_app' || channel === 'email' || followed[channel].has(kind);
  const channels = Object.fromEntries(
    readableKinds(ctx).map((kind) => [kind, channelsOf(kind).filter((channel) => reaches(kind, channel))]),
  );
  return { channels, digest, quietHours };
}
