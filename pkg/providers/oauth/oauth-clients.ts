import type { OauthClient } from './oauth-client.ts';

/** Clients of this installation, by the name of the integration; one that is not set up is missing. */
export type OauthClients = Readonly<Record<string, OauthClient>>;

/** Settings of a process that says who it is to vendors. */
export interface OauthSettings {
  HUBSPOT_CLIENT_ID?: string | undefined;
  HUBSPOT_CLIENT_SECRET?: string | undefined;
  PIPEDRIVE_CLIENT_ID?: string | undefined;
  PIPEDRIVE_CLIENT_SECRET?: string | undefined;
  SALESFORCE_CLIENT_ID?: string | undefined;
  SALESFORCE_CLIENT_SECRET?: string | undefined;
  /** Where its organisations log in; sandboxes of Salesforce have another address. */
  SALESFORCE_LOGIN_URL?: string | undefined;
  /** One client for calendars (google) and mailboxes (gmail). */
  GOOGLE_CLIENT_ID?: string | undefined;
  GOOGLE_CLIENT_SECRET?: string | undefined;
}

const HUBSPOT_SCOPE =
  'oauth crm.lists.read crm.objects.contacts.read crm.objects.contacts.write crm.objects.deals.read crm.objects.deals.write communication_preferences.read_write';

const GOOGLE = 'https://www.googleapis.com/auth/';
/** Events, and the zone of the calendar that has them. */
export const GOOGLE_CALENDAR_SCOPE = `${GOOGLE}calendar.events ${GOOGLE}calendar.calendars.readonly`;
/** Mails that leave; and what comes, found by its Message-ID, which the narrower gmail.metadata does not allow. */
export const GMAIL_SCOPE = `${GOOGLE}gmail.send ${GOOGLE}gmail.readonly`;
const GOOGLE_CLIENT = {
  authorizeUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
  tokenUrl: 'https://oauth2.googleapis.com/token',
  clientAuth: 'body' as const,
  // Without the first there is no right to renew; without the second there is one the first time alone.
  more: { access_type: 'offline', prompt: 'consent' },
};

/** Addresses as the vendors' own clients have them; PKCE goes to all of them, and those who do not know it ignore it. */
export function oauthClients(settings: OauthSettings): OauthClients {
  const login = (settings.SALESFORCE_LOGIN_URL ?? 'https://login.salesforce.com').replace(/\/+$/, '');
  const known: Record<
    string,
    [id: string | undefined, secret: string | undefined, Omit<OauthClient, 'clientId' | 'clientSecret'>]
  > = {
    hubspot: [
      settings.HUBSPOT_CLIENT_ID,
      settings.HUBSPOT_CLIENT_SECRET,
      {
        authorizeUrl: 'https://app.hubspot.com/oauth/authorize',
        tokenUrl: 'https://api.hubapi.com/oauth/v1/token',
        scope: HUBSPOT_SCOPE,
        clientAuth: 'body',
      },
    ],
    pipedrive: [
      settings.PIPEDRIVE_CLIENT_ID,
      settings.PIPEDRIVE_CLIENT_SECRET,
      {
        authorizeUrl: 'https://oauth.pipedrive.com/oauth/authorize',
        tokenUrl: 'https://oauth.pipedrive.com/oauth/token',
        scope: '',
        clientAuth: 'basic',
      },
    ],
    salesforce: [
      settings.SALESFORCE_CLIENT_ID,
      settings.SALESFORCE_CLIENT_SECRET,
      {
        authorizeUrl: `${login}/services/oauth2/authorize`,
        tokenUrl: `${login}/services/oauth2/token`,
        scope: 'api refresh_token',
        clientAuth: 'body',
      },
    ],
    google: [
      settings.GOOGLE_CLIENT_ID,
      settings.GOOGLE_CLIENT_SECRET,
      { ...GOOGLE_CLIENT, scope: GOOGLE_CALENDAR_SCOPE },
    ],
    gmail: [settings.GOOGLE_CLIENT_ID, settings.GOOGLE_CLIENT_SECRET, { ...GOOGLE_CLIENT, scope: GMAIL_SCOPE }],
  };
  return Object.fromEntries(
    Object.entries(known).flatMap(([name, [clientId, clientSecret, rest]]) =>
      clientId && clientSecret ? [[name, { ...rest, clientId, clientSecret }] as const] : [],
    ),
  );
}
