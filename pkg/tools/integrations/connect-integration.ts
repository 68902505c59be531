import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { holdsCredentials } from '../../base/this-machine.ts';
import type { Tx } from '../../postgres/database.ts';
import { readAiEndpoint, readOwnEnrichment } from '../../store/integrations/own-endpoints.ts';
import { invalidInput, notFound } from '../errors.ts';
import { requireScope } from '../require-scope.ts';
import { tool } from '../tool.ts';
import type { Connections, ToolContext } from '../tool-context.ts';
import { connectAccount, isAccountProvider } from './accounts/connect-account.ts';
import { checkConnection } from './check-connection.ts';
import { connectEndpoint, isEndpoint } from './connect-endpoint.ts';
import { sendToVendor } from './connect-oauth.ts';
import { type ConnectRequest, connectInput, refuseForEndpoints } from './connect-request.ts';
import { parseMapping } from './crm/field-map.ts';
import { CONNECTABLE, type IntegrationKind } from './integration-row.ts';
import { type Connected, type OwnIntegration, ownIntegration, storeIntegration } from './store-integration.ts';

const platformCredentials = z.strictObject({
  token: z.string().min(1).max(2_000),
  url: z
    .url()
    .max(1_000)
    .refine((url) => !holdsCredentials(url))
    .optional(),
});
/** Language models: which of the vendor's. */
const modelCredentials = platformCredentials.extend({ model: z.string().min(1).max(200) });

export const connectIntegration = tool({
  name: 'svc_connect_integration',
  domain: 'Integrations',
  title: 'Connect integration',
  description:
    'Connects a provider, or an outgoing webhook with chosen events, and tests it; pass integrationId to renew credentials. Next: svc_list_provider_lists or svc_list_webhook_templates.',
  example: {
    input: { provider: 'webhook', name: 'Our CRM', url: '$webhookUrl' },
    keep: { integrationId: 'integrationId' },
  },
  scope: 'integrations:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  workspace: 'param',
  input: connectInput,
  output: z.object({
    integrationId: z.string(),
    status: z.string(),
    authUrl: z.string().nullable(),
    signingSecret: z.string().nullable(),
    replayed: z.number().nullable(),
  }),
  async run(ctx, request) {
    const kind = connectableKind(request);
    const connections = requireConnections(ctx);
    const known = request.integrationId;
    const found = known === undefined ? undefined : await ctx.tx((tx) => ownIntegration(tx, ctx.workspaceId, request));
    if (known !== undefined && !found) throw notFound('integration', known);
    if (isEndpoint(kind)) return connectEndpoint(ctx, connections, { kind, request, found });
    const client = request.credentials === undefined ? connections.oauth?.[request.provider] : undefined;
    if (client && isAccountProvider(request.provider))
      requireScope(ctx, 'ext_integrations:write', `connect ${request.provider}`);
    if (client) return sendToVendor(ctx, connections, { request, kind, known, client });
    if (isAccountProvider(request.provider)) return connectAccount(ctx, connections, { request, found });
    const { url, credentials } = platformOf(kind, request, found);
    const { workspaceId } = ctx;
    const attempt = { provider: request.provider, url, credentials, workspaceId, now: ctx.clocks.real.now() };
    await checkConnection(attempt, connections, ctx.signal);
    return ctx.repeatable<Connected>(workspaceId, {
      work: async (tx, earlier) => {
        if (known === undefined && !earlier) await requireNoOther(tx, workspaceId, kind, request.provider);
        const made = earlier && (await ownIntegration(tx, workspaceId, { ...earlier, provider: request.provider }));
        const integrationId = known ?? made?.id ?? ctx.ids.name('int');
        const sealed = connections.sealer.seal(JSON.stringify(credentials), `integration:${integrationId}`);
        await storeIntegration(tx, ctx, { integrationId, kind, request, url, sealed });
        return { integrationId, status: 'connected', authUrl: null, signingSecret: null, replayed: null };
      },
      did: () => true,
    });
  },
});

/** @throws UserError naming what can be connected, and what of the request does not work yet */
function connectableKind(request: ConnectRequest): IntegrationKind {
  const kind = CONNECTABLE.get(request.provider);
  if (!kind) {
    throw new UserError(
      `${request.provider} can not be connected yet; can be: ${[...CONNECTABLE.keys()].join(', ')}. Call svc_list_integrations.`,
      'Unsupported',
    );
  }
  if (kind !== 'crm' && request.fieldMapping !== undefined) throw invalidInput('fieldMapping', 'is for CRMs');
  if (kind !== 'crm' && request.twoWay) throw invalidInput('twoWay', 'is for CRMs');
  parseMapping('fieldMapping', request.fieldMapping ?? {});
  return kind;
}

const PLATFORM_CREDENTIALS =
  'must be {token: string} (an API token of the provider), with {url: string} where the provider has no address for all (salesforce)';
const MODEL_CREDENTIALS =
  'must be {token: string, model: string} (an API key of the vendor and the model that writes), with {url: string} for another endpoint with that wire format';

/** One model writes for a workspace, and one key opens a provider of enrichment, so that nobody has to guess which. @throws UserError naming the one that does */
async function requireNoOther(tx: Tx, workspaceId: string, kind: IntegrationKind, provider: string): Promise<void> {
  const other =
    kind === 'ai' ? await readAiEndpoint(tx, workspaceId) : await sameProvider(tx, workspaceId, kind, provider);
  if (!other) return;
  throw invalidInput(
    'provider',
    `${other.provider} works for this workspace already (${other.id}); give its integrationId to change its credentials, or disconnect it first: svc_disconnect_integration`,
  );
}

async function sameProvider(tx: Tx, workspaceId: string, kind: IntegrationKind, provider: string) {
  if (kind !== 'enrichment') return undefined;
  return (await readOwnEnrichment(tx, workspaceId)).find((own) => own.provider === provider);
}

function requireConnections(ctx: ToolContext): Connections {
  if (ctx.connections) return ctx.connections;
  throw new UserError(
    'This installation has no OUTRIDER_SECRETS_KEY, so credentials could not be stored safely. Ask its administrator to set it, then call svc_connect_integration again.',
    'NoSecretsKey',
  );
}

/** Credentials, and where they open: of one that is renewed as before, unless told. */
function platformOf(
  kind: IntegrationKind,
  request: ConnectRequest,
  found: OwnIntegration | undefined,
): { url: string; credentials: Record<string, string> } {
  refuseForEndpoints(request);
  const { success, data } = (kind === 'ai' ? modelCredentials : platformCredentials).safeParse(
    request.credentials ?? {},
  );
  // The cause must not echo what was given.
  if (!success) throw invalidInput('credentials', kind === 'ai' ? MODEL_CREDENTIALS : PLATFORM_CREDENTIALS);
  const { url = found?.url ?? '', ...credentials } = data;
  return { url, credentials };
}
