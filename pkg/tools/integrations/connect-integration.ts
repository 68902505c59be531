import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import type { Tx } from '../../postgres/database.ts';
import { keepIntegration } from '../../store/integrations/integrations.ts';
import { invalidInput, notFound } from '../errors.ts';
import { tool } from '../tool.ts';
import type { Connections, ToolContext } from '../tool-context.ts';
import { workspaceParam } from '../workspace-param.ts';
import { checkConnection } from './check-connection.ts';
import { CONNECTABLE } from './integration-row.ts';

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

const input = z.strictObject({
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
});
type Request = z.output<typeof input>;

const credentialsSchema = z.strictObject({ token: z.string().min(1).max(2_000), url: z.url().max(1_000).optional() });
const SECRET_BYTES = 32;

export const connectIntegration = tool({
  name: 'svc_connect_integration',
  domain: 'Integrations',
  title: 'Connect integration',
  description:
    'Connects a provider, or an outgoing webhook with chosen events, and tests it; pass integrationId to renew credentials. Next: svc_list_integrations or svc_create_workflow.',
  example: {
    input: { provider: 'webhook', name: 'Our CRM', url: '$webhookUrl' },
    keep: { integrationId: 'integrationId' },
  },
  scope: 'integrations:write',
  category: 'write',
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  workspace: 'param',
  input,
  output: z.object({
    integrationId: z.string(),
    status: z.string(),
    authUrl: z.string().nullable(),
    signingSecret: z.string().nullable(),
  }),
  async run(ctx, request) {
    const kind = connectableKind(request);
    const known = request.integrationId;
    if (known !== undefined && !(await ctx.tx((tx) => isOwn(tx, ctx.workspaceId, known, request.provider)))) {
      throw notFound('integration', known);
    }
    const connections = requireConnections(ctx);
    const { url, credentials } = kind === 'webhook' ? webhookOf(request) : platformOf(request);
    const { workspaceId } = ctx;
    const attempt = { provider: request.provider, url, credentials, workspaceId, now: ctx.clocks.real.now() };
    await checkConnection(attempt, connections, ctx.signal);
    return ctx.repeatable<Answer>(workspaceId, {
      // Made again, the call renews what it connected: the secret of a webhook was lost with the answer.
      work: async (tx, earlier) => {
        const before = earlier && (await isOwn(tx, workspaceId, earlier.integrationId, request.provider));
        const integrationId = known ?? (before ? earlier.integrationId : ctx.ids.name('int'));
        const sealed = connections.sealer.seal(JSON.stringify(credentials), `integration:${integrationId}`);
        await store(tx, ctx, { integrationId, kind, request, url, sealed });
        const { signingSecret = null } = credentials;
        return { integrationId, status: 'connected', authUrl: null, signingSecret };
      },
      did: () => true,
    });
  },
});

interface Answer {
  integrationId: string;
  status: string;
  authUrl: string | null;
  signingSecret: string | null;
}

/** @throws UserError naming what can be connected, and what of the request does not work yet */
function connectableKind(request: Request): 'crm' | 'outreach' | 'webhook' {
  const kind = CONNECTABLE.get(request.provider);
  if (!kind) {
    throw new UserError(
      `${request.provider} can not be connected yet; can be: ${[...CONNECTABLE.keys()].join(', ')}. Call svc_list_integrations.`,
      'Unsupported',
    );
  }
  if (request.webhookTemplateId !== undefined) throw notFound('webhookTemplate', request.webhookTemplateId);
  if ((request.events ?? []).length > 0) {
    throw invalidInput(
      'events',
      'are not delivered by themselves yet; a workflow calls the webhook with a node webhook:call',
    );
  }
  if (request.fieldMapping !== undefined) {
    throw invalidInput('fieldMapping', 'does not work yet; give the fields in the node crm:push');
  }
  if (request.twoWay) throw invalidInput('twoWay', 'does not work yet; leave it out');
  return kind;
}

function requireConnections(ctx: ToolContext): Connections {
  if (ctx.connections) return ctx.connections;
  throw new UserError(
    'This installation has no OUTRIDER_SECRETS_KEY, so credentials could not be stored safely. Ask its administrator to set it, then call svc_connect_integration again.',
    'NoSecretsKey',
  );
}

function webhookOf({ url, credentials }: Request): { url: string; credentials: Record<string, string> } {
  if (url === undefined) throw invalidInput('url', 'is required for a webhook');
  if (credentials !== undefined)
    throw invalidInput('credentials', 'a webhook has none; its signingSecret is made here');
  return { url, credentials: { signingSecret: randomBytes(SECRET_BYTES).toString('hex') } };
}

function platformOf({ url, credentials }: Request): { url: string; credentials: Record<string, string> } {
  if (url !== undefined) throw invalidInput('url', 'is for webhooks');
  const parsed = credentialsSchema.safeParse(credentials ?? {});
  // The cause must not echo what was given.
  if (!parsed.success) throw invalidInput('credentials', 'must be {token: string} (an API token of the provider)');
  return { url: parsed.data.url ?? '', credentials: { token: parsed.data.token } };
}

async function isOwn(tx: Tx, workspaceId: string, id: string, provider: string): Promise<boolean> {
  const row = await tx.row<{ id: string }>(
    'select id from integration where id = $1 and workspace_id = $2 and provider = $3 and deleted_at is null',
    [id, workspaceId, provider],
  );
  return row !== undefined;
}

interface Stored {
  integrationId: string;
  kind: string;
  request: Request;
  url: string;
  sealed: Buffer;
}

/** @throws UserError not found when somebody disconnected it while its credentials were tried */
async function store(tx: Tx, ctx: ToolContext, stored: Stored): Promise<void> {
  const { integrationId, kind, request, url, sealed } = stored;
  const kept = await keepIntegration(tx, {
    id: integrationId,
    workspaceId: ctx.workspaceId,
    provider: request.provider,
    kind,
    name: request.name ?? null,
    url,
    sealed,
    now: ctx.clocks.product.now(),
  });
  if (!kept) throw notFound('integration', integrationId);
}
