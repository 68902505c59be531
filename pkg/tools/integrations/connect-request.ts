import { z } from 'zod';
import { holdsCredentials } from '../../base/this-machine.ts';
import { VENDORS } from '../../providers/ai/vendors.ts';
import { documentedDefault } from '../documented-default.ts';
import { invalidInput } from '../errors.ts';
import { dateTime } from '../times.ts';
import { workspaceParam } from '../workspace-param.ts';

const PROVIDERS = [
  'hubspot',
  'salesforce',
  'pipedrive',
  'attio',
  'smartlead',
  'instantly',
  'lemlist',
  'heyreach',
  'apollo',
  'clay',
  'hunter',
  'dropcontact',
  'people_data_labs',
  ...VENDORS,
  'slack',
  'webhook',
  'google',
  'caldav',
  'smtp_imap',
  'gmail',
] as const;

/** What svc_connect_integration takes. */
export const connectInput = z.strictObject({
  workspaceId: workspaceParam,
  provider: z.enum(PROVIDERS),
  integrationId: z.string().min(1).optional(),
  name: z.string().max(120).optional(),
  credentials: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      'Provider-specific; stored encrypted, never returned. OAuth providers: omit and open authUrl. Language models: {token, model, url?}.',
    ),
  url: z
    .url()
    .max(1000)
    .refine((url) => !holdsCredentials(url), 'must hold no name or password before its host')
    .optional()
    .describe('Webhook target or CalDAV address, https only; private addresses refused.'),
  events: z.array(z.string()).max(100).optional().describe('See enums.eventKind.'),
  webhookTemplateId: z.string().min(1).optional(),
  fieldMapping: z.record(z.string(), z.unknown()).optional(),
  twoWay: documentedDefault(z.boolean(), false).describe('CRM: also take owner, stage and do-not-contact back.'),
  personal: documentedDefault(z.boolean(), false).describe(
    'Webhook, slack: for you alone; svc_update_notification_preferences chooses its events.',
  ),
  replayFrom: dateTime
    .optional()
    .describe('Webhook, chat: delivers again what happened from then on; needs integrationId.'),
  replayTo: dateTime.optional(),
  deliveryIds: z
    .array(z.string().min(1))
    .min(1)
    .max(100)
    .optional()
    .describe('Webhook, chat: delivers these again; needs integrationId.'),
});
export type ConnectRequest = z.output<typeof connectInput>;

/** Parameters of what events are delivered to. */
const FOR_ENDPOINTS = ['events', 'webhookTemplateId', 'replayFrom', 'replayTo', 'deliveryIds'] as const;

/** @throws UserError for what is given though it is for webhooks and chats */
export function refuseForEndpoints(request: ConnectRequest): void {
  if (request.url !== undefined) throw invalidInput('url', 'is for webhooks and chats');
  if (request.personal) throw invalidInput('personal', 'is for webhooks and chats');
  const given = FOR_ENDPOINTS.find((field) => request[field] !== undefined);
  if (given !== undefined) throw invalidInput(given, 'is for webhooks and chats');
}

/** @throws UserError for what is given though accounts have none of it */
export function refuseForAccounts(request: ConnectRequest): void {
  const given = FOR_ENDPOINTS.find((field) => request[field] !== undefined);
  if (given !== undefined) throw invalidInput(given, 'is for webhooks and chats');
}
