import type { OauthClient } from '../../providers/oauth/oauth-client.ts';
import { keepUnconnected } from '../../store/integrations/integrations.ts';
import { notFound } from '../errors.ts';
import type { Connections, ToolContext } from '../tool-context.ts';
import { type ConnectRequest, refuseForEndpoints } from './connect-request.ts';
import type { IntegrationKind } from './integration-row.ts';
import { beginWay } from './oauth/begin-oauth.ts';
import { type Connected, ownIntegration } from './store-integration.ts';

interface Way {
  request: ConnectRequest;
  kind: IntegrationKind;
  known: string | undefined;
  client: OauthClient;
}

/** The member allows it at the vendor; until they come back the integration waits, or stays what it is. */
export function sendToVendor(ctx: ToolContext, connections: Connections, way: Way): Promise<Connected> {
  const { request, kind, known, client } = way;
  const { provider } = request;
  refuseForEndpoints(request);
  return ctx.repeatable<Connected>(ctx.workspaceId, {
    // Made again, the call gives another address for the same integration: the one before ends.
    work: async (tx, earlier) => {
      const made = earlier && (await ownIntegration(tx, ctx.workspaceId, { ...earlier, provider }));
      const integrationId = known ?? made?.id ?? ctx.ids.name('int');
      const status = await keepUnconnected(tx, {
        id: integrationId,
        workspaceId: ctx.workspaceId,
        provider,
        kind,
        name: request.name ?? null,
        twoWay: request.twoWay ?? null,
        fieldMapping: request.fieldMapping ?? null,
        now: ctx.clocks.product.now(),
      });
      if (status === undefined) throw notFound('integration', integrationId);
      const authUrl = await beginWay(tx, ctx, connections, { client, integrationId });
      return { integrationId, status, authUrl, signingSecret: null, replayed: null };
    },
    did: () => true,
  });
}
