import { oneLine } from '../../base/one-line.ts';
import type { EventTimes } from '../../domain/calendar/calendar-wish.ts';
import type { StoredEvent } from '../../providers/calendar/calendar-writer.ts';
import { invitationText } from '../../providers/calendar/ical/write-event.ts';
import {
  type ChangePlan,
  type DueChange,
  endChange,
  type NewInvitation,
  planInvitations,
  tellMeeting,
} from '../../store/calendar/calendar-changes.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { OpenCalendar } from './open-calendar.ts';
import type { Changed } from './perform-change.ts';

const DAY_MS = 86_400_000;

/** Ends a change with all that follows from it, in one transaction: mails to attendees, where no server tells them, and events. */
export async function settleChange(
  { claim, clock, newId, faults, workspaceId }: EngineDeps,
  change: DueChange,
  done: Changed,
  calendar: OpenCalendar,
): Promise<void> {
  const { event, plan } = done;
  await claim.tx(async (tx) => {
    const now = clock.now();
    const htmlLink = event?.htmlLink ?? '';
    if (!(await endChange(tx, change.id, { state: 'done', htmlLink, at: now }))) return;
    const { mailboxId, access } = calendar;
    if (!access.serverInvites && mailboxId !== null && plan) {
      const mails = mailsOf(plan, event, { now, timezone: access.timezone, newId });
      await planInvitations(tx, change.id, mailboxId, mails, { now, expiresAt: expiryOf(plan, now) });
    }
    await tell();
    await faults('settling', change.id);

    async function tell(): Promise<void> {
      const meeting = { workspaceId, meetingId: change.eventId, now };
      if (change.kind === 'create' && event && event.state.attendees.length > 0) {
        const attendees = event.state.attendees.map(({ email }) => email);
        await tellMeeting(tx, { ...meeting, kind: 'meeting.created', startsAt: event.state.start, attendees });
      }
      if (change.kind === 'delete' && plan && plan.cancelled.length > 0)
        await tellMeeting(tx, { ...meeting, kind: 'meeting.cancelled', startsAt: 0, attendees: plan.cancelled });
    }
  });
}

/** A notice of what has passed is of no use. */
function expiryOf({ startsAt }: ChangePlan, now: number): number {
  return Math.max(startsAt, now + DAY_MS);
}

interface MailFacts {
  now: number;
  timezone: string;
  newId: () => string;
}

function mailsOf(plan: ChangePlan, event: StoredEvent | null, facts: MailFacts): NewInvitation[] {
  const { now, newId } = facts;
  const stamp = { now, sequence: event?.sequence ?? 0 };
  const request = event && plan.told.length > 0 ? invitationText(event.raw, 'REQUEST', plan.told, stamp) : '';
  const invited = plan.told.map((to): NewInvitation => {
    const again = (event?.sequence ?? 0) > 0;
    const subject = subjectOf(again ? 'Updated invitation' : 'Invitation', event?.state.summary ?? plan.summary);
    return { id: newId(), to, subject, text: textOf(event, facts), calendar: request, method: 'REQUEST' };
  });
  const off = plan.cancelled.map((to): NewInvitation => {
    const subject = subjectOf('Cancelled', plan.summary);
    return {
      id: newId(),
      to,
      subject,
      text: 'This meeting is cancelled.',
      calendar: plan.cancelText,
      method: 'CANCEL',
    };
  });
  return [...(request === '' ? [] : invited), ...(plan.cancelText === '' ? [] : off)];
}

/** One line, whatever the title holds. */
function subjectOf(what: string, summary: string): string {
  return `${what}: ${oneLine(summary)}`.slice(0, 200);
}

function textOf(event: StoredEvent | null, { timezone }: MailFacts): string {
  if (!event) return '';
  const { description, location } = event.state;
  const parts = [`When: ${whenOf(event.state, timezone)}`, ...(location === '' ? [] : [`Where: ${location}`])];
  return [...parts, ...(description === '' ? [] : ['', description])].join('\n');
}

function whenOf({ start, end, allDay }: EventTimes, timezone: string): string {
  const parts = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
  if (allDay) return new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: 'UTC' }).format(start);
  const clock = { ...parts, hour: '2-digit', minute: '2-digit', timeZone: timezone } as const;
  return `${new Intl.DateTimeFormat('en-GB', clock).formatRange(start, end)} (${timezone})`;
}
