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
}

const HUBSPOT_SCOPE =
  'oauth crm.lists.read crm.objects.contacts.read crm.objects.contacts.write crm.objects.deals.read crm.objects.deals.write communication_preferences.read_write';

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
  };
  return Object.fromEntries(
    Object.entries(known).flatMap(([name, [clientId, clientSecret, rest]]) =>
      clientId && clientSecret ? [[name, { ...rest, clientId, clientSecret }] as const] : [],
    ),
  );
}
