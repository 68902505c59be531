import { z } from 'zod';
import { calendarIdentity } from '../../../domain/calendar/calendar-identity.ts';
import { findCalendar } from '../../../providers/calendar/dav/discover.ts';
import { findOwnCalendar, keepCalendar } from '../../../store/accounts/connected-accounts.ts';
import { invalidInput, notFound } from '../../errors.ts';
import type { Connections, ToolContext } from '../../tool-context.ts';
import type { ConnectRequest } from '../connect-request.ts';
import type { TriedAccount } from './tried-account.ts';

const credentialsShape = z.strictObject({
  username: z.string().min(1).max(320),
  password: z.string().min(1).max(500),
  email: z.email().max(320).optional(),
});

/** A calendar by CalDAV: the address may be that of the calendar, of its user, or of the server. @throws UserError, CallError */
export async function connectCaldav(
  ctx: ToolContext,
  connections: Connections,
  request: ConnectRequest,
  signal: AbortSignal,
): Promise<TriedAccount> {
  const { workspaceId } = ctx;
  if (request.url === undefined) throw invalidInput('url', 'is required: the address of the calendar or of its server');
  const given = credentialsShape.safeParse(request.credentials ?? {});
  // The cause must not echo what was given.
  if (!given.success)
    throw invalidInput(
      'credentials',
      'must be {username: string, password: string (an app password), email: string (who invites; optional)}',
    );
  const { username, password, email: own } = given.data;
  const access = { username, password, reach: connections.reachOf(request.url) };
  const calendar = await findCalendar(access, request.url, signal);
  const email =
    own?.toLowerCase() ??
    calendar.addresses[0] ??
    (z.email().safeParse(username).success ? username.toLowerCase() : '');
  const of = { workspaceId, provider: 'caldav', url: calendar.url, calendarId: '' } as const;
  // A server invites for its own user only.
  const serverInvites =
    calendar.serverInvites && (calendar.addresses.length === 0 || calendar.addresses.includes(email));
  const { timezone } = calendar;
  return {
    kind: 'calendar',
    name: calendar.name || email || new URL(calendar.url).host,
    url: calendar.url,
    known: await ctx.tx((tx) => findOwnCalendar(tx, of)),
    store: async (tx, id) => {
      const sealed = connections.sealer.seal(JSON.stringify({ username, password }), `calendar:${id}`);
      const now = ctx.clocks.product.now();
      const [identity] = connections.sealer.marks(calendarIdentity({ ...of, username }));
      if (!(await keepCalendar(tx, { id, ...of, email, sealed, identity, timezone, serverInvites, now })))
        throw notFound('integration', id);
    },
  };
}
