import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import type { CalendarEvent } from '../../domain/calendar/calendar-event.ts';
import { calendarIdentity } from '../../domain/calendar/calendar-identity.ts';
import type { Span } from '../../domain/calendar/span.ts';
import type { Tx } from '../../postgres/database.ts';
import { readCalendarEvents } from '../../providers/calendar/calendar-reader.ts';
import type { WriterAccess } from '../../providers/calendar/calendar-writer.ts';
import { CallError } from '../../providers/call-error.ts';
import { type CalendarRow, readCalendar } from '../../store/accounts/calendar-accounts.ts';
import { listToolOf, notFound } from '../errors.ts';
import type { ToolContext } from '../tool-context.ts';
import { workspaceParam } from '../workspace-param.ts';

/** Which calendar is meant. */
export const calendarParams = {
  workspaceId: workspaceParam,
  providerAccountId: z
    .string()
    .min(1)
    .optional()
    .describe('Default: first connected provider account linked to the workspace.'),
};

/** The calendar that is named, else the workspace's first. @throws UserError when there is none */
export async function requireCalendar(
  tx: Tx,
  workspaceId: string,
  providerAccountId: string | undefined,
): Promise<CalendarRow> {
  const row = await readCalendar(tx, workspaceId, providerAccountId ?? null);
  if (row) return row;
  if (providerAccountId !== undefined) throw notFound('providerAccount', providerAccountId);
  throw new UserError(
    `No connected provider account with a calendar is linked to the workspace. Call ${listToolOf('providerAccountId')}.`,
    'NoCalendar',
  );
}

const credentials = z.object({
  username: z.string().default(''),
  password: z.string().default(''),
  token: z.string().default(''),
});

/** What opens a calendar. @throws UserError where no key is configured, or another one */
export function openAccess(ctx: ToolContext, row: CalendarRow): WriterAccess {
  const { connections } = ctx;
  const { id, url, calendarId, email, timezone, serverInvites } = row;
  if (row.needsAuth) throw refusedBy(id, 'auth', 'it has to be allowed anew');
  const opened = opens(ctx, row);
  if (!connections || !opened)
    throw new UserError(
      `The credentials of provider account "${id}" do not open here. Connect it again with svc_connect_integration.`,
      'CredentialsClosed',
    );
  const reach = connections.reachOf(url);
  const access = { url, ...opened, calendarId, email, timezone, serverInvites, reach, now: ctx.clocks.product.now() };
  const { sealed, sealOwner } = row;
  const { renewGrant } = ctx;
  if (!renewGrant || sealed === null || sealOwner !== `integration:${id}`) return access;
  return { ...access, renew: () => renewGrant(id, sealed) };
}

/** Which calendar it is, in all workspaces. @throws UserError as openAccess does */
export function identityOf(ctx: ToolContext, row: CalendarRow): readonly Buffer[] {
  const access = openAccess(ctx, row);
  const { sealer } = ctx.connections ?? {};
  return sealer?.marks(calendarIdentity({ ...access, provider: row.provider })) ?? [Buffer.from(row.id)];
}

function opens({ connections }: ToolContext, { sealOwner, sealed }: CalendarRow) {
  if (!sealed || !connections) return undefined;
  try {
    return credentials.parse(JSON.parse(connections.sealer.open(sealed, sealOwner)));
  } catch {
    return undefined;
  }
}

/** What a calendar answers, its refusals in words for the caller. @throws UserError */
export async function asked<T>(accountId: string, question: Promise<T>): Promise<T> {
  try {
    return await question;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    throw refusedBy(accountId, error.kind, error.message);
  }
}

/**
 * The events of a calendar within a span (epoch ms UTC).
 * @throws UserError where it does not answer, its credentials do not open, or something in it can't be read: it is never free then
 */
export function calendarEvents(
  ctx: ToolContext,
  workspaceId: string,
  calendar: CalendarRow,
  span: Span,
): Promise<readonly CalendarEvent[]> {
  const access = { ...openAccess(ctx, calendar), workspaceId };
  return asked(calendar.id, readCalendarEvents(calendar.provider, access, span, ctx.signal));
}

/** Why a calendar does nothing for us. */
export function refusedBy(accountId: string, kind: string, message: string): UserError {
  const next =
    kind === 'auth' || kind === 'forbidden'
      ? 'Connect it again with svc_connect_integration'
      : 'Try again in a minute, or with another providerAccountId';
  return new UserError(
    `The calendar of provider account "${accountId}" did not answer: ${message}. Nothing is taken for free. ${next}.`,
    'CalendarFailed',
  );
}
