import { calendarIdentity } from '../../../domain/calendar/calendar-identity.ts';
import type { Tx } from '../../../postgres/database.ts';
import { GOOGLE_CALENDAR_URL, primaryCalendar } from '../../../providers/calendar/google/google-calendar.ts';
import { CallError } from '../../../providers/call-error.ts';
import { GMAIL_URL, gmailProfile } from '../../../providers/mail/gmail/gmail-api.ts';
import type { OauthClient, OauthTokens } from '../../../providers/oauth/oauth-client.ts';
import {
  connectOwnMailbox,
  findOwnCalendar,
  keepCalendar,
  OWN_PROVIDERS,
} from '../../../store/accounts/connected-accounts.ts';
import { findMailbox } from '../../../store/mail/mailboxes.ts';
import type { Connections } from '../../tool-context.ts';

/** An account into which a vendor let us. */
export interface GrantedAccount {
  kind: 'calendar' | 'mail';
  /** Whose it is. */
  address: string;
  /** The account by which the workspace, or another one, knows it already. */
  find(tx: Tx): Promise<string | undefined>;
  /** Writes the account; its integration has what opens it. @throws CallError where it is somebody else's */
  store(tx: Tx, account: { id: string; name: string }): Promise<void>;
}

/** A way that came to its end. */
interface Granting {
  connections: Connections;
  client: OauthClient;
  workspaceId: string;
  tokens: OauthTokens;
  /** Epoch ms, product time. */
  now: number;
  signal: AbortSignal;
}

const ACCOUNTS = { google: grantedCalendar, gmail: grantedMailbox } as const;

/**
 * The account that a vendor let us into; null: the vendor's integration is none of accounts.
 * @throws CallError where less was allowed than is needed, or it can not be told whose it is
 */
export async function grantedAccount(provider: string, granting: Granting): Promise<GrantedAccount | null> {
  const ask = Object.hasOwn(ACCOUNTS, provider) ? ACCOUNTS[provider as keyof typeof ACCOUNTS] : undefined;
  if (!ask) return null;
  const { client, tokens } = granting;
  // People may tick a part of what is asked for.
  const missing = client.scope.split(' ').filter((scope) => !(tokens.scopes ?? []).includes(scope));
  if (missing.length > 0)
    throw new CallError('refused', `not all that is needed was allowed: ${missing.map(lastPart).join(', ')}`);
  if (tokens.refreshToken === null) throw new CallError('refused', 'Google gave no right to renew what was allowed');
  return ask(granting);
}

function lastPart(scope: string): string {
  return scope.slice(scope.lastIndexOf('/') + 1);
}

async function grantedCalendar(granting: Granting): Promise<GrantedAccount> {
  const { connections, client, workspaceId, tokens, now, signal } = granting;
  const url = client.apiUrl ?? GOOGLE_CALENDAR_URL;
  const access = { url, token: tokens.accessToken, reach: connections.reachOf(url) };
  const { id: calendarId, timezone } = await primaryCalendar(access, signal);
  const of = { workspaceId, provider: 'google', url, calendarId } as const;
  const [identity] = connections.sealer.marks(calendarIdentity({ ...of, username: '' }));
  return {
    kind: 'calendar',
    address: calendarId.toLowerCase(),
    find: (tx) => findOwnCalendar(tx, of),
    async store(tx, { id }) {
      const email = calendarId.toLowerCase();
      const calendar = { id, ...of, email, sealed: null, identity, timezone, serverInvites: true, now };
      if (!(await keepCalendar(tx, calendar))) throw new CallError('refused', 'it was disconnected meanwhile');
    },
  };
}

async function grantedMailbox(granting: Granting): Promise<GrantedAccount> {
  const { connections, client, workspaceId, tokens, now, signal } = granting;
  const url = client.apiUrl ?? GMAIL_URL;
  const access = { url, token: tokens.accessToken, reach: connections.reachOf(url) };
  const { emailAddress: address } = await gmailProfile(access, signal);
  return {
    kind: 'mail',
    address,
    find: async (tx) => (await findMailbox(tx, OWN_PROVIDERS, address))?.accountId,
    async store(tx, { id, name }) {
      const known = await findMailbox(tx, OWN_PROVIDERS, address);
      const account = await connectOwnMailbox(tx, workspaceId, {
        provider: 'gmail',
        accountId: id,
        address: known?.address ?? address,
        displayName: name || known?.displayName || address,
        // By whose name its servers write what they found out about a mail.
        smtpHost: 'smtp.gmail.com',
        smtpPort: 465,
        smtpTls: 'implicit',
        imapHost: 'imap.gmail.com',
        imapPort: 993,
        imapTls: 'implicit',
        username: address,
        reach: 'public',
        savesSent: true,
        sentFolder: 'SENT',
        sealed: null,
        timezone: known?.timezone ?? 'UTC',
        now,
      });
      if (account === null)
        throw new CallError(
          'refused',
          'another workspace connected this mailbox first, and only that one changes how it is opened',
        );
    },
  };
}
