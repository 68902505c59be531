import { z } from 'zod';
import { calendarIdentity } from '../../../domain/calendar/calendar-identity.ts';
import { GOOGLE_CALENDAR_URL, primaryCalendar } from '../../../providers/calendar/google/google-calendar.ts';
import { findOwnCalendar, keepCalendar } from '../../../store/accounts/connected-accounts.ts';
import { invalidInput, notFound } from '../../errors.ts';
import type { Connections, ToolContext } from '../../tool-context.ts';
import type { ConnectRequest } from '../connect-request.ts';
import type { TriedAccount } from './tried-account.ts';

const credentialsShape = z.strictObject({ token: z.string().min(1).max(4_000) });

/** The first calendar of a Google account, by an access token. @throws UserError, CallError */
export async function connectGoogle(
  ctx: ToolContext,
  connections: Connections,
  request: ConnectRequest,
  signal: AbortSignal,
): Promise<TriedAccount> {
  const { workspaceId } = ctx;
  const given = credentialsShape.safeParse(request.credentials ?? {});
  if (!given.success)
    throw invalidInput('credentials', 'must be {token: string} (an OAuth access token for Google Calendar)');
  const { token } = given.data;
  const url = request.url ?? GOOGLE_CALENDAR_URL;
  const { id: calendarId, timezone } = await primaryCalendar({ url, token, reach: connections.reachOf(url) }, signal);
  const of = { workspaceId, provider: 'google', url, calendarId } as const;
  return {
    kind: 'calendar',
    name: calendarId,
    url,
    known: await ctx.tx((tx) => findOwnCalendar(tx, of)),
    store: async (tx, id) => {
      const sealed = connections.sealer.seal(JSON.stringify({ token }), `calendar:${id}`);
      const now = ctx.clocks.product.now();
      const email = calendarId.toLowerCase();
      const [identity] = connections.sealer.marks(calendarIdentity({ ...of, username: '' }));
      if (!(await keepCalendar(tx, { id, ...of, email, sealed, identity, timezone, serverInvites: true, now })))
        throw notFound('integration', id);
    },
  };
}
