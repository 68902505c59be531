import { z } from 'zod';
import { EVENT_KINDS, type EventKind } from '../../domain/event-kinds.ts';
import { EVENT_DEFINITIONS } from '../../events/event-definitions.ts';
import { sampleEnvelope } from '../../events/event-envelope.ts';
import { detailParam } from '../compact.ts';
import { invalidInput } from '../errors.ts';
import { pageOf, pageParams } from '../paging.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';

/** Headers of each delivery. Source: catalog `webhook.headers`. */
const HEADERS = {
  'X-Svc-Event': 'the kind',
  'X-Svc-Delivery': 'unique, and the same over retries',
  'X-Svc-Timestamp': 'seconds since 1970, UTC',
  'X-Svc-Signature': 'v1=hex(HMAC-SHA256(secret, timestamp + "." + body))',
};

const templateOf = (kind: EventKind): z.output<typeof webhookTemplate> => ({
  ...compactOf(kind),
  target: 'webhook',
  events: [kind],
  samplePayload: { ...sampleEnvelope(kind) },
  headers: HEADERS,
});

/** What a subscription is chosen by; the sample of a kind comes by `events`. */
const compactOf = (kind: EventKind): z.output<typeof webhookTemplate> => ({
  webhookTemplateId: kind,
  name: EVENT_DEFINITIONS[kind].says,
});

/** Catalog record WebhookTemplate; compact without what follows from the id, and without the sample. */
const webhookTemplate = z.object({
  webhookTemplateId: z.string().describe('The event kind.'),
  name: z.string(),
  target: z.string().optional(),
  events: z.array(z.enum(EVENT_KINDS)).optional(),
  samplePayload: z.record(z.string(), z.unknown()).optional(),
  headers: z.record(z.string(), z.string()).optional(),
});

/** Kinds whose scope the caller holds: others could not be followed. */
function followable(scopes: ReadonlySet<string>): EventKind[] {
  return EVENT_KINDS.filter((kind) => scopes.has(EVENT_DEFINITIONS[kind].scope));
}

export const listWebhookTemplates = tool({
  name: 'svc_list_webhook_templates',
  domain: 'Integrations',
  title: 'List webhook templates',
  description:
    'Lists webhook payload templates by event kind, with signature rules; name kinds (events) for their sample payloads. Next: svc_connect_integration.',
  example: { input: {} },
  scope: 'integrations:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    events: z.array(z.string().max(60)).min(1).max(100).optional().describe('Only these kinds, with their samples.'),
    ...detailParam,
    ...pageParams,
  }),
  output: z.object({
    webhookTemplates: z.array(webhookTemplate),
    headers: z.record(z.string(), z.string()).describe('Of each delivery.'),
    nextCursor: z.string().nullable(),
  }),
  async run(ctx, input) {
    const { events, detail } = input;
    const all = followable(ctx.caller.scopes).sort();
    const kinds = events === undefined ? all : all.filter((kind) => events.includes(kind));
    const unknown = events?.filter((kind) => !all.some((one) => one === kind)) ?? [];
    if (unknown.length > 0)
      throw invalidInput('events', `no ${unknown.join(', ')} is told, or not to this key; there are ${all.join(', ')}`);
    const page = await pageOf(
      ctx,
      'svc_list_webhook_templates',
      input,
      { workspaceId: ctx.workspaceId, events },
      async (position, fetch) => kinds.filter((kind) => kind > (position?.[0] ?? '')).slice(0, fetch),
      (kind) => [kind],
    );
    const shown = events !== undefined || detail === 'full' ? templateOf : compactOf;
    return { webhookTemplates: page.rows.map(shown), headers: HEADERS, nextCursor: page.nextCursor };
  },
});
