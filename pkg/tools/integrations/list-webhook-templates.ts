import { z } from 'zod';
import { EVENT_KINDS, type EventKind } from '../../domain/event-kinds.ts';
import { EVENT_DEFINITIONS } from '../../events/event-definitions.ts';
import { sampleEnvelope } from '../../events/event-envelope.ts';
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
  webhookTemplateId: kind,
  name: EVENT_DEFINITIONS[kind].says,
  target: 'webhook',
  events: [kind],
  samplePayload: { ...sampleEnvelope(kind) },
  headers: HEADERS,
});

/** Catalog record WebhookTemplate. */
const webhookTemplate = z.object({
  webhookTemplateId: z.string(),
  name: z.string(),
  target: z.string(),
  events: z.array(z.enum(EVENT_KINDS)),
  samplePayload: z.record(z.string(), z.unknown()),
  headers: z.record(z.string(), z.string()),
});

/** Kinds that something causes today and whose scope the caller holds: others could not be followed. */
function followable(scopes: ReadonlySet<string>): EventKind[] {
  return EVENT_KINDS.filter((kind) => {
    const { later, scope } = EVENT_DEFINITIONS[kind];
    return later === undefined && scopes.has(scope);
  });
}

export const listWebhookTemplates = tool({
  name: 'svc_list_webhook_templates',
  domain: 'Integrations',
  title: 'List webhook templates',
  description:
    'Lists webhook payload templates with event kinds, sample payloads and signature rules. Next: svc_connect_integration.',
  example: { input: {} },
  scope: 'integrations:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({ workspaceId: workspaceParam, ...pageParams }),
  output: z.object({ webhookTemplates: z.array(webhookTemplate), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const kinds = followable(ctx.caller.scopes).sort();
    const page = await pageOf(
      ctx,
      'svc_list_webhook_templates',
      input,
      { workspaceId: ctx.workspaceId },
      async (position, fetch) => kinds.filter((kind) => kind > (position?.[0] ?? '')).slice(0, fetch),
      (kind) => [kind],
    );
    return { webhookTemplates: page.rows.map(templateOf), nextCursor: page.nextCursor };
  },
});
