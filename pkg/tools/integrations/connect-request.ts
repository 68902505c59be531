import { z } from 'zod';
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
  'slack',
  'webhook',
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
    .describe('Provider-specific; stored encrypted, never returned. OAuth providers: omit and open authUrl.'),
  url: z.url().max(1000).optional().describe('Webhook target, https only; private addresses refused.'),
  events: z.array(z.string()).max(50).optional().describe('See enums.eventKind.'),
  webhookTemplateId: z.string().min(1).optional(),
  fieldMapping: z.record(z.string(), z.unknown()).optional(),
  twoWay: z.boolean().default(false).describe('CRM: also take owner, stage and do-not-contact back.'),
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
