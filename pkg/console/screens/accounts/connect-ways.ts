import type { Input } from '../../api/call.ts';

export type Provider = Input<'svc_connect_integration'>['provider'];

/** A field of a form that connects something. */
export interface ConnectField {
  name: string;
  label: string;
  type?: 'text' | 'email' | 'url' | 'password';
  /** Where it goes: into the credentials, or beside them. */
  beside?: true;
  optional?: true;
  hint?: string;
}

/** A way to connect a provider. */
export interface ConnectWay {
  title: string;
  group: string;
  fields: readonly ConnectField[];
}

const TOKEN: ConnectField = { name: 'token', label: 'API token', type: 'password' };
const MODEL: readonly ConnectField[] = [
  { name: 'token', label: 'API key', type: 'password' },
  { name: 'model', label: 'Model' },
  { name: 'url', label: 'Address of another endpoint', type: 'url', optional: true },
];
const crm = (title: string, more: readonly ConnectField[] = []): ConnectWay => ({
  title,
  group: 'CRM',
  fields: [{ ...TOKEN, optional: true, hint: 'Leave it empty to allow access at the vendor.' }, ...more],
});
const byToken = (title: string, group: string): ConnectWay => ({ title, group, fields: [TOKEN] });
const model = (title: string): ConnectWay => ({ title, group: 'Language model', fields: MODEL });

/** How each provider is connected. Source: svc_connect_integration. What the server can not connect yet is not offered. */
export const CONNECT_WAYS: Readonly<Partial<Record<Provider, ConnectWay>>> = {
  smtp_imap: {
    title: 'Mailbox (SMTP and IMAP)',
    group: 'Mail and calendar',
    fields: [
      { name: 'email', label: 'Mail address', type: 'email' },
      { name: 'username', label: 'User name', optional: true, hint: 'Where it is not the address.' },
      { name: 'password', label: 'Password', type: 'password', hint: 'Many providers want an app password.' },
      { name: 'smtp', label: 'SMTP server', hint: 'Such as smtp.example.com:465' },
      { name: 'imap', label: 'IMAP server', hint: 'Such as imap.example.com:993' },
      { name: 'sentFolder', label: 'Folder of sent mails', optional: true, hint: 'Where it is not Sent.' },
    ],
  },
  caldav: {
    title: 'Calendar (CalDAV)',
    group: 'Mail and calendar',
    fields: [
      { name: 'url', label: 'Address', type: 'url', beside: true, hint: 'Of the calendar or of its server.' },
      { name: 'username', label: 'User name' },
      { name: 'password', label: 'Password', type: 'password', hint: 'Many providers want an app password.' },
      { name: 'email', label: 'Mail address that invites', type: 'email', optional: true },
    ],
  },
  google: {
    title: 'Google Calendar',
    group: 'Mail and calendar',
    fields: [
      {
        name: 'token',
        label: 'Access token',
        type: 'password',
        optional: true,
        hint: 'Leave it empty to allow access at Google.',
      },
    ],
  },
  // Google's own page alone opens it: there is nothing to fill in.
  gmail: { title: 'Mailbox (Gmail)', group: 'Mail and calendar', fields: [] },
  hubspot: crm('HubSpot'),
  salesforce: crm('Salesforce', [
    { name: 'url', label: 'Address of your organisation', type: 'url', optional: true, hint: 'With a token.' },
  ]),
  pipedrive: crm('Pipedrive'),
  attio: byToken('Attio', 'CRM'),
  smartlead: byToken('Smartlead', 'Outreach platform'),
  instantly: byToken('Instantly', 'Outreach platform'),
  lemlist: byToken('lemlist', 'Outreach platform'),
  heyreach: byToken('HeyReach', 'Outreach platform'),
  apollo: byToken('Apollo', 'Enrichment'),
  clay: byToken('Clay', 'Enrichment'),
  hunter: byToken('Hunter', 'Enrichment'),
  dropcontact: byToken('Dropcontact', 'Enrichment'),
  people_data_labs: byToken('People Data Labs', 'Enrichment'),
  openai: model('OpenAI'),
  anthropic: model('Anthropic'),
  gemini: model('Gemini'),
  mistral: model('Mistral'),
  slack: {
    title: 'Slack',
    group: 'Notifications',
    fields: [{ name: 'url', label: 'Address of the incoming webhook', type: 'url', beside: true }],
  },
  webhook: {
    title: 'Webhook',
    group: 'Notifications',
    fields: [{ name: 'url', label: 'Address', type: 'url', beside: true, hint: 'https; it gets all events.' }],
  },
};

/** The arguments that svc_connect_integration takes for what was filled in. */
export function argumentsOf(
  provider: Provider,
  way: ConnectWay,
  values: Readonly<Record<string, string>>,
): Omit<Input<'svc_connect_integration'>, 'workspaceId'> {
  const filled = way.fields.flatMap((field) => {
    const value = field.type === 'password' ? (values[field.name] ?? '') : (values[field.name] ?? '').trim();
    return value === '' ? [] : [{ field, value }];
  });
  const credentials = Object.fromEntries(
    filled.filter(({ field }) => !field.beside).map(({ field, value }) => [field.name, value]),
  );
  const beside = Object.fromEntries(
    filled.filter(({ field }) => field.beside).map(({ field, value }) => [field.name, value]),
  );
  const name = (values['name'] ?? '').trim();
  return {
    provider,
    ...(name === '' ? {} : { name }),
    ...beside,
    ...(Object.keys(credentials).length === 0 ? {} : { credentials }),
  };
}
