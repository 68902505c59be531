import type { Clocks } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { PeriodicJob } from '../../base/periodic.ts';
import { retold } from '../../domain/notifications/notice-words.ts';
import { mayHear } from '../../domain/notifications/who-is-told.ts';
import { EVENT_DEFINITIONS } from '../../events/event-definitions.ts';
import type { Database, Tx } from '../../postgres/database.ts';
import { queueMail } from '../../store/mail-outbox/mail-outbox.ts';
import {
  type DueMember,
  type DueNotice,
  holdMails,
  mailedMember,
  membersDue,
  noMail,
  noteMailed,
  takeDue,
} from '../../store/notifications/due-mails.ts';

/** Real ms between looks, and for one round. */
const EVERY_MS = 5_000;
const WITHIN_MS = 60_000;
/** Members that one round serves. */
const AT_ONCE = 100;
/** Product ms until the next try for a member who got as many mails as may be in a day. */
const HELD_MS = 3_600_000;
/** Product ms for which a queued mail is worth sending. */
const WORTH_MS = 86_400_000;

export interface NotificationMailsDeps {
  db: Pick<Database, 'tx'>;
  clocks: Pick<Clocks, 'product'>;
  ids: Ids;
}

/**
 * Queues mails about what members did not read, all that is due for one of them in one mail. It runs where there is a mail server:
 * without one nothing is queued, and members read in the product.
 */
export function notificationMailsJob(deps: NotificationMailsDeps): PeriodicJob {
  return {
    name: 'notification-mails',
    everyMs: EVERY_MS,
    withinMs: WITHIN_MS,
    run: (signal) => queueDueMails(deps, signal),
  };
}

/** @returns whether there is more to do */
export async function queueDueMails(
  { db, clocks, ids }: NotificationMailsDeps,
  signal?: AbortSignal,
): Promise<boolean> {
  const now = clocks.product.now();
  const due = await db.tx({ kind: 'platform' }, (tx) => membersDue(tx, now, AT_ONCE));
  for (const member of due) {
    if (signal?.aborted) return false;
    await db.tx({ kind: 'platform' }, (tx) => queueFor(tx, member, ids.uuid(), now));
  }
  return due.length === AT_ONCE;
}

/** At most 25 mails a member and day (app.queue_mail): what is too much waits, and leaves together with what comes until then. */
async function queueFor(tx: Tx, member: DueMember, id: string, now: number): Promise<void> {
  const due = await takeDue(tx, member, now);
  if (due.length === 0) return;
  const to = await mailedMember(tx, member);
  // What they may read is what they may read now, whatever was so when the mail was planned.
  const notices = due.filter(({ kind }) => to !== undefined && mayHear(to, EVENT_DEFINITIONS[kind].scope));
  await noMail(
    tx,
    due.filter((notice) => !notices.includes(notice)).map(({ id }) => id),
  );
  if (!to || notices.length === 0) return;
  const noticeIds = notices.map((notice) => notice.id);
  const queued = await queueMail(tx, {
    id,
    idempotencyKey: `notifications/${id}`,
    kind: 'notifications',
    workspaceId: member.workspaceId,
    recipient: to.email,
    params: { workspaceName: to.workspaceName, notices: notices.map((notice) => mailed(notice, now)) },
    sealed: null,
    now,
    expiresAt: now + WORTH_MS,
  });
  if (queued === 'queued' || queued === 'known') return noteMailed(tx, noticeIds, now);
  await holdMails(tx, noticeIds, now + HELD_MS);
}

/** As the mail tells it at this moment: spans of time are of now. */
function mailed(notice: DueNotice, now: number): { notificationId: string; title: string; text: string } {
  return { notificationId: notice.id, ...retold(notice, now) };
}
