import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import type { CalendarEvent } from '../../domain/calendar/calendar-event.ts';
import type { Span } from '../../domain/calendar/span.ts';
import type { Tx } from '../../postgres/database.ts';
import { caldav } from '../../providers/calendar/caldav.ts';
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

const credentials = z.object({ username: z.string().default(''), password: z.string().default('') });

/**
 * The events of a calendar within a span (epoch ms UTC).
 * @throws UserError where it does not answer, its credentials do not open, or something in it can't be read: it is never free then
 */
export async function calendarEvents(
  ctx: ToolContext,
  workspaceId: string,
  calendar: CalendarRow,
  span: Span,
): Promise<readonly CalendarEvent[]> {
  const { url, timezone, email } = calendar;
  const opened = opens(ctx, calendar);
  const reach = ctx.connections?.reachOf(url) ?? 'public';
  try {
    return await caldav.events({ url, ...opened, reach, timezone, own: [email], workspaceId }, span, ctx.signal);
  } catch (error) {
    if (!(error instanceof CallError) || ctx.signal.aborted) throw error;
    const next =
      error.kind === 'auth' || error.kind === 'forbidden'
        ? 'Connect it again with svc_connect_integration'
        : 'Try again in a minute, or with another providerAccountId';
    throw new UserError(
      `The calendar of provider account "${calendar.id}" did not answer: ${error.message}. Nothing is taken for free. ${next}.`,
      'CalendarFailed',
    );
  }
}

function opens({ connections }: ToolContext, { id, sealed }: CalendarRow): z.infer<typeof credentials> {
  try {
    if (sealed && connections) return credentials.parse(JSON.parse(connections.sealer.open(sealed, `calendar:${id}`)));
  } catch {
    // Sealed under another key: as if none were there.
  }
  throw new UserError(
    `The credentials of provider account "${id}" do not open here. Connect it again with svc_connect_integration.`,
    'CredentialsClosed',
  );
}
