import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { EVENT_KINDS, type EventKind } from '../../domain/event-kinds.ts';
import { isNamedTimezone } from '../../domain/local-time.ts';
import { DIGESTS } from '../../domain/notifications/mail-moment.ts';
import { NOTIFICATION_CHANNELS, type NotificationChannel } from '../../domain/notifications/notification-rules.ts';
import { type Chosen, NOTHING_CHOSEN } from '../../domain/notifications/preferences.ts';
import { EVENT_DEFINITIONS } from '../../events/event-definitions.ts';
import type { Tx } from '../../postgres/database.ts';
import { followAsChosen } from '../../store/notifications/own-endpoints.ts';
import {
  beginChoice,
  type ChoiceOf,
  followedKinds,
  readChosen,
  writeChosen,
} from '../../store/notifications/preferences.ts';
import { routeAgain } from '../../store/notifications/unrouted.ts';
import { invalidInput } from '../errors.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { workspaceParam } from '../workspace-param.ts';
import { ownUser } from './own.ts';
import { preferencesRecord, readPreferences } from './preferences-view.ts';

const CHANNELS = z.array(z.enum(NOTIFICATION_CHANNELS)).max(NOTIFICATION_CHANNELS.length);
const input = z.strictObject({
  workspaceId: workspaceParam,
  channels: z
    .record(z.string().max(100), CHANNELS)
    .optional()
    .describe('eventKind -> list of in_app, email, webhook, chat.'),
  digest: z.enum(DIGESTS).optional(),
  quietHours: z
    .strictObject({
      startHour: z.int().min(0).max(23).optional(),
      endHour: z.int().min(0).max(23).optional(),
      timezone: z.string().optional(),
    })
    .optional()
    .describe('Local hours without mails, also over midnight; the same hour twice ends them.'),
});
type Change = z.output<typeof input>;

export const updateNotificationPreferences = tool({
  name: 'svc_update_notification_preferences',
  domain: 'Notifications',
  title: 'Update notification preferences',
  description: 'Sets channels per event kind, digest and quiet hours. Next: svc_get_notification_preferences.',
  example: {
    input: {
      channels: { 'reply.received': ['in_app', 'email'] },
      digest: 'daily',
      quietHours: { startHour: 20, endHour: 7, timezone: 'Europe/Berlin' },
    },
  },
  scope: 'notifications:write',
  anyRole: true,
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input,
  output: z.object({ preferences: preferencesRecord }),
  async run(ctx, change) {
    const of = { workspaceId: ctx.workspaceId, userId: ownUser(ctx) };
    const channels = checkedChannels(ctx, change);
    const now = ctx.clocks.product.now();
    const preferences = await ctx.tx(async (tx) => {
      await beginChoice(tx, of, now);
      const before = (await readChosen(tx, of, true)) ?? NOTHING_CHOSEN;
      const quietHours = quietAfter(before.quietHours, change.quietHours);
      const digest = change.digest ?? before.digest;
      await writeChosen(tx, of, { channels: { ...before.channels, ...channels }, digest, quietHours }, now);
      await followAsChosen(tx, of.workspaceId, of.userId);
      await requireFollowers(tx, of, channels);
      // What waits to be mailed goes as they chose now.
      await routeAgain(tx, of.workspaceId, of.userId);
      return readPreferences(tx, ctx);
    });
    return { preferences };
  },
});

/** @throws UserError for a kind that is none, or whose scope the key lacks */
function checkedChannels(
  ctx: ToolContext,
  { channels = {} }: Change,
): Partial<Record<EventKind, NotificationChannel[]>> {
  const checked: Partial<Record<EventKind, NotificationChannel[]>> = {};
  for (const [name, list] of Object.entries(channels)) {
    const kind = EVENT_KINDS.find((one) => one === name);
    if (kind === undefined) {
      throw new UserError(
        `Unknown event kind "${name.slice(0, 60)}". Call svc_get_notification_preferences to see the kinds.`,
        'UnknownKind',
      );
    }
    const { scope } = EVENT_DEFINITIONS[kind];
    if (!ctx.caller.scopes.has(scope)) {
      throw new UserError(
        `Following ${kind} needs the scope ${scope}, which this key lacks. Call svc_whoami to see the scopes of this key.`,
        'MissingScope',
      );
    }
    checked[kind] = [...new Set(list)];
  }
  return checked;
}

/** @throws UserError for a webhook or a chat that nobody connected for the kind: the choice alone reaches nobody */
async function requireFollowers(
  tx: Tx,
  of: ChoiceOf,
  channels: Partial<Record<EventKind, NotificationChannel[]>>,
): Promise<void> {
  const followed = await followedKinds(tx, of);
  for (const [kind, list] of Object.entries(channels))
    for (const channel of list ?? []) {
      if (channel === 'in_app' || channel === 'email' || followed[channel].has(kind)) continue;
      throw new UserError(
        `No ${channel} of this workspace follows ${kind}. Call svc_connect_integration with it among its events first, or with personal: true for one of your own.`,
        'NotFollowed',
      );
    }
}

/** What is given takes the place of what was chosen; hours that begin and end at once are none, on purpose. */
function quietAfter(before: Chosen['quietHours'], change: Change['quietHours']): Chosen['quietHours'] {
  if (change === undefined) return before;
  const known = before !== null && 'startHour' in before ? before : undefined;
  const startHour = change.startHour ?? known?.startHour;
  const endHour = change.endHour ?? known?.endHour;
  const timezone = change.timezone ?? known?.timezone;
  if (startHour === undefined)
    throw invalidInput('quietHours.startHour', 'is required, since no quiet hours are set yet');
  if (endHour === undefined) throw invalidInput('quietHours.endHour', 'is required, since no quiet hours are set yet');
  if (timezone !== undefined && !isNamedTimezone(timezone))
    throw invalidInput('quietHours.timezone', 'is no IANA timezone, such as Europe/Berlin');
  if (startHour === endHour) return {};
  return { startHour, endHour, ...(timezone === undefined ? {} : { timezone }) };
}
