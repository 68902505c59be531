import { z } from 'zod';
import type { EventState, EventTimes, EventWish } from '../../domain/calendar/calendar-wish.ts';
import {
  isSame,
  MOST_ATTENDEES,
  sameTimes,
  saysTheSame,
  takenBy,
  uninvited,
  wishedEvent,
} from '../../domain/calendar/calendar-wish.ts';
import type { StoredEvent } from '../../providers/calendar/calendar-writer.ts';
import { invitationText } from '../../providers/calendar/ical/write-event.ts';
import type { ChangePlan, DueChange } from '../../store/calendar/calendar-changes.ts';
import type { OpenCalendar } from './open-calendar.ts';

/** A change that can not be done, for good. */
export class ChangeRefused extends Error {
  override readonly name = 'ChangeRefused';
  /** Word for programs. */
  readonly outcome: string;

  constructor(outcome: string, message: string) {
    super(message);
    this.outcome = outcome;
  }
}

/** The event was changed by somebody else between two looks: it is looked at once more. */
export class EventMoved extends Error {
  override readonly name = 'EventMoved';
}

/** What a change came to. */
export interface Changed {
  /** As it stands now; null: it is gone. */
  event: StoredEvent | null;
  /** What was planned before it was written; null: nothing was to be written. */
  plan: ChangePlan | null;
}

const answers = z.enum(['needs_action', 'accepted', 'declined', 'tentative']);
/** As tools plan it. */
export const wantedShape = z.object({
  summary: z.string().optional(),
  description: z.string().optional(),
  location: z.string().optional(),
  start: z.number().optional(),
  end: z.number().optional(),
  allDay: z.boolean().optional(),
  attendees: z.array(z.string()).optional(),
  /** Of a deletion: attendees are told. */
  notify: z.boolean().optional(),
  /** Of an answer. */
  email: z.string().optional(),
  answer: answers.optional(),
  /** Of the invitation that it answers; absent: unknown. */
  sequence: z.number().optional(),
});
export type Wanted = z.infer<typeof wantedShape>;

/**
 * Does to the calendar what a change asks for, however often it was tried before: it looks first, and what is done already is not done
 * again. What is about to be written is kept before (`keep`), so that a process which ends in between leaves to the next one whom to
 * tell of it.
 * @throws ChangeRefused, EventMoved, CallError
 */
export function performChange(
  calendar: OpenCalendar,
  change: DueChange,
  keep: (plan: ChangePlan) => Promise<void>,
  signal: AbortSignal,
): Promise<Changed> {
  const work: Work = { calendar, change, wanted: wantedShape.parse(change.wanted), keep, signal };
  switch (change.kind) {
    case 'create':
      return create(work);
    case 'update':
      return update(work);
    case 'delete':
      return remove(work);
    case 'answer':
      return answer(work);
  }
}

/** A change that is under way. */
interface Work {
  calendar: OpenCalendar;
  change: DueChange;
  wanted: Wanted;
  keep(plan: ChangePlan): Promise<void>;
  signal: AbortSignal;
}

const NO_EVENT: EventState = {
  summary: '',
  description: '',
  location: '',
  start: 0,
  end: 0,
  allDay: false,
  attendees: [],
};

async function create(work: Work): Promise<Changed> {
  const { calendar, wanted, signal } = work;
  const { eventId, plan } = work.change;
  const { writer, access } = calendar;
  const event = wishedEvent(NO_EVENT, wishOf(wanted), access);
  const made = plan && (await writer.find(access, eventId, signal));
  if (made) return { event: made, plan };
  if (plan && event.start < access.now)
    throw new ChangeRefused('too_late', 'it had begun before the calendar took the event; nothing was written');
  await requireFree(calendar, event, signal);
  const planned = plan ?? planOf(calendar, event, []);
  await begin(work, planned);
  return { event: await writer.create(access, eventId, event, signal), plan: planned };
}

async function update(work: Work): Promise<Changed> {
  const { calendar, wanted, signal } = work;
  const { eventId, plan } = work.change;
  const { writer, access } = calendar;
  const known = await requireEvent(calendar, eventId, signal);
  requireOwn(calendar, known);
  const wished = wishedEvent(known.state, wishOf(wanted), access);
  const moves = !sameTimes(known.state, wished);
  if (known.recurring && moves)
    throw new ChangeRefused('recurring', 'the times of a series are changed in the calendar itself');
  if (wished.end <= wished.start) throw new ChangeRefused('times', 'the event would end before it begins');
  // Written by a try whose answer was lost, or by somebody else: only the first is told.
  if (saysTheSame(known.state, wished)) return { event: known, plan };
  // What takes no time takes it from nobody.
  if (moves && !known.transparent) await requireFree(calendar, wished, signal, [known.uid, known.eventId]);
  const gone = uninvited(known.state, wished).map(({ email }) => email);
  const planned = planOf(calendar, wished, gone, known);
  await begin(work, planned);
  const written = await writer.change(access, known, wished, signal);
  if (written === 'stale') throw new EventMoved('the event was changed meanwhile');
  return { event: written, plan: planned };
}

async function remove(work: Work): Promise<Changed> {
  const { calendar, wanted, signal } = work;
  const { eventId, plan } = work.change;
  const { writer, access } = calendar;
  const known = await writer.find(access, eventId, signal);
  if (!known && plan) return { event: null, plan };
  if (!known) throw new ChangeRefused('not_found', 'the calendar has no such event');
  if (wanted.notify !== false) requireOwn(calendar, known);
  const told = wanted.notify === false ? [] : known.state.attendees.map(({ email }) => email);
  const planned = planOf(calendar, { ...known.state, attendees: [] }, told, known);
  await begin(work, planned);
  const removed = await writer.remove(access, known, wanted.notify !== false, signal);
  if (removed === 'stale') throw new EventMoved('the event was changed meanwhile');
  return { event: null, plan: planned };
}

async function answer({ calendar, change, wanted, signal }: Work): Promise<Changed> {
  const { writer, access } = calendar;
  const { email = '', answer: said = 'needs_action', sequence } = wanted;
  const known = await requireEvent(calendar, change.eventId, signal);
  // A yes to the old time is none to the new one (RFC 5546 section 2.1.5).
  if (sequence !== undefined && sequence < known.sequence) return { event: known, plan: null };
  const written = await writer.answer(access, known, email, said, signal);
  if (written === 'stale') throw new EventMoved('the event was changed meanwhile');
  return { event: written, plan: null };
}

/** Keeps what is about to be written, where everybody may and can be told of it. @throws ChangeRefused */
async function begin({ calendar, keep }: Work, plan: ChangePlan): Promise<void> {
  requireTeller(calendar, plan);
  await requireInvitable(calendar, plan.told);
  await keep(plan);
}

/**
 * Where we are the ones who mail, nobody hears from us of a meeting that somebody else called: a cancellation of ours would end it for all.
 * @throws ChangeRefused
 */
function requireOwn({ access }: OpenCalendar, { organizer, state }: StoredEvent): void {
  if (access.serverInvites || organizer === null || state.attendees.length === 0) return;
  if (!isSame(organizer, access.email)) throw new ChangeRefused('not_organizer', organizer);
}

/** Nothing is booked twice. @param except ids of the event itself @throws ChangeRefused */
async function requireFree(
  calendar: OpenCalendar,
  times: EventTimes,
  signal: AbortSignal,
  except: readonly string[] = [],
): Promise<void> {
  const [taken] = await calendar.busy(takenBy(times, calendar.access.timezone), signal, except);
  if (taken) throw new ChangeRefused('conflict', 'the time is taken meanwhile');
}

/**
 * Time passes between a wish and its deed: who wants no more mail by then gets no invitation, also where they were invited before.
 * @throws ChangeRefused
 */
async function requireInvitable(calendar: OpenCalendar, told: readonly string[]): Promise<void> {
  if (told.length === 0) return;
  if (told.length > MOST_ATTENDEES)
    throw new ChangeRefused('too_many', `the event would have more than ${MOST_ATTENDEES} attendees`);
  const [barred] = await calendar.barred(told);
  if (barred !== undefined) throw new ChangeRefused('suppressed', barred);
}

async function requireEvent(
  { writer, access }: OpenCalendar,
  eventId: string,
  signal: AbortSignal,
): Promise<StoredEvent> {
  const known = await writer.find(access, eventId, signal);
  if (!known) throw new ChangeRefused('not_found', 'the calendar has no such event');
  return known;
}

function wishOf({ summary, description, location, start, end, allDay, attendees }: Wanted): EventWish {
  return {
    ...(summary === undefined ? {} : { summary }),
    ...(description === undefined ? {} : { description }),
    ...(location === undefined ? {} : { location }),
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
    ...(allDay === undefined ? {} : { allDay }),
    ...(attendees === undefined ? {} : { attendees }),
  };
}

/** Whom to tell; the calendar's owner is told nothing. @param gone addresses for whom it is off, by the event as it is known */
function planOf({ access }: OpenCalendar, event: EventState, gone: readonly string[], known?: StoredEvent): ChangePlan {
  const isGuest = (email: string): boolean => !isSame(email, access.email);
  const told = event.attendees.map(({ email }) => email).filter(isGuest);
  const cancelled = gone.filter(isGuest);
  const stamp = { now: access.now, sequence: (known?.sequence ?? 0) + 1 };
  const byMail = !access.serverInvites && known !== undefined && cancelled.length > 0;
  return {
    told,
    cancelled,
    cancelText: byMail ? invitationText(known.raw, 'CANCEL', cancelled, stamp) : '',
    summary: known?.state.summary ?? event.summary,
    startsAt: event.start,
  };
}

/** @throws ChangeRefused where nobody could tell the attendees */
function requireTeller({ access, mailboxId }: OpenCalendar, { told, cancelled }: ChangePlan): void {
  if (access.serverInvites || mailboxId !== null || told.length + cancelled.length === 0) return;
  throw new ChangeRefused('no_mailbox', `the calendar invites nobody, and no mailbox of ${access.email} is connected`);
}
