import { mailMoment } from '../../domain/notifications/mail-moment.ts';
import { NOTIFICATION_RULES } from '../../domain/notifications/notification-rules.ts';
import { type Hearer, mayHear } from '../../domain/notifications/who-is-told.ts';
import { EVENT_DEFINITIONS } from '../../events/event-definitions.ts';
import type { Tx } from '../../postgres/database.ts';
import { readAudience } from '../../store/notifications/hearers.ts';
import { lockUnrouted, type Route, type Unrouted, writeRoutes } from '../../store/notifications/unrouted.ts';

/**
 * Decides by which channels notifications go that other doors made (a node that tells members, the engine's deadlines), as their
 * members chose. Platform only.
 * @param now epoch ms, product time
 */
export async function routeNotices(tx: Tx, workspaceId: string, now: number): Promise<void> {
  const unrouted = await lockUnrouted(tx, workspaceId);
  if (unrouted.length === 0) return;
  const { hearers } = await readAudience(tx, workspaceId);
  const byUser = new Map(hearers.map((hearer) => [hearer.userId, hearer]));
  const routes = unrouted.map((notice) => routeOf(notice, byUser.get(notice.userId), now));
  await writeRoutes(tx, routes, now);
}

/** Who is no member any more, or may not read it any more, gets no mail. */
function routeOf({ id, kind, read, mailedAt }: Unrouted, hearer: Hearer | undefined, now: number): Route {
  if (!hearer || !mayHear(hearer, EVENT_DEFINITIONS[kind].scope)) return { id, inApp: true, mailAt: null };
  const { preferences } = hearer;
  const channels = preferences.channelsOf(kind);
  const urgent = NOTIFICATION_RULES[kind].urgent === true;
  const isMailed = channels.includes('email') && !read;
  const mailAt = isMailed ? mailMoment(now, preferences, { urgent, mailedAt }) : null;
  return { id, inApp: channels.includes('in_app'), mailAt };
}
