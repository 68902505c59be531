import { UserError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Tx } from '../../postgres/database.ts';
import { type ChangeKind, type ChangeView, planChange, readChange } from '../../store/calendar/calendar-changes.ts';
import { isAwake } from '../../store/leases/executor-awake.ts';
import { actorOf } from '../actor-of.ts';
import { invalidInput, notFound } from '../errors.ts';
import { lookUntil, OUTCOME_MS } from '../look-until.ts';
import type { ToolContext } from '../tool-context.ts';
import { refusedBy } from './calendar-of.ts';
import { suppressedAttendee } from './suppressed-attendee.ts';

/** A change that is asked for. */
export interface AskedChange {
  id: string;
  accountId: string;
  kind: ChangeKind;
  eventId: string;
  wanted: JsonObject;
}

/** Plans a change. @returns its id @throws UserError */
export async function planEvent(ctx: ToolContext, tx: Tx, change: AskedChange): Promise<string> {
  const planned = await planChange(
    tx,
    { ...change, workspaceId: ctx.workspaceId, by: actorOf(ctx) },
    ctx.clocks.product.now(),
  );
  if ('changeId' in planned) return planned.changeId;
  if (planned.refusal === 'no_account') throw notFound('providerAccount', change.accountId);
  if (planned.refusal === 'told')
    throw new UserError(
      'The server of this calendar was asked to tell 50 people within 24 hours, and tells no more until some of those have passed: no limit of a mailbox counts what it sends. Invite fewer people, or call svc_list_calendar_events tomorrow and ask again.',
      'BudgetUsedUp',
    );
  throw new UserError(
    'Too many changes of this calendar wait. Call svc_list_calendar_events in a few minutes.',
    'CalendarBusy',
  );
}

/** What became of a change: `scheduled`: its executor has still to do it. */
export interface ChangeStand {
  status: 'done' | 'scheduled';
  htmlLink: string;
}

/**
 * Waits for what becomes of a change: while nobody works for the workspace not at all, for its executor has to start first.
 * @throws UserError why it can not be done
 */
export async function awaitChange(
  ctx: ToolContext,
  changeId: string,
  change: Pick<AskedChange, 'accountId' | 'eventId'>,
): Promise<ChangeStand> {
  return lookUntil<ChangeStand>(ctx, OUTCOME_MS, async (late) => {
    const { view, awake } = await ctx.tx(async (tx) => ({
      view: await readChange(tx, changeId),
      awake: await isAwake(tx, ctx.workspaceId),
    }));
    if (view?.state === 'done') return { status: 'done', htmlLink: view.htmlLink };
    if (view?.state === 'failed') throw failureOf(view, change);
    return !view || !awake || late() ? { status: 'scheduled', htmlLink: '' } : undefined;
  });
}

function failureOf(
  { outcome, error }: ChangeView,
  { accountId, eventId }: Pick<AskedChange, 'accountId' | 'eventId'>,
): UserError {
  switch (outcome) {
    case 'not_found':
      return notFound('calendarEvent', eventId);
    case 'conflict':
      return new UserError(
        'The time is taken meanwhile: the calendar has another event then. Nothing was written. Call svc_list_calendar_events.',
        'TimeTaken',
      );
    case 'times':
      return invalidInput('endTime', error ?? 'must be after startTime');
    case 'recurring':
      return invalidInput('startTime', error ?? 'belongs to a series');
    case 'too_late':
      return invalidInput('startTime', error ?? 'had passed');
    case 'unknown':
      return new UserError(
        `The calendar of provider account "${accountId}" did not say what it did, ${error}. Do not ask for the same again before you looked. Call svc_list_calendar_events.`,
        'OutcomeUnknown',
      );
    case 'not_organizer':
      return new UserError(
        `The event belongs to ${error}, who called the meeting: only they change or cancel it. Nothing was written. To take it out of this calendar alone: Call svc_delete_calendar_event with notifyAttendees false.`,
        'NotOrganizer',
      );
    case 'too_many':
      return invalidInput('attendeeEmails', error ?? 'has too many addresses');
    case 'suppressed':
      return suppressedAttendee(error ?? '');
    case 'no_mailbox':
      return new UserError(
        `Nothing was changed, since nobody could tell the attendees: ${error}. Connect it with svc_connect_integration (smtp_imap).`,
        'NoMailbox',
      );
    default:
      return refusedBy(accountId, outcome ?? '', error ?? 'it refused');
  }
}
