import type { Tx } from '../../postgres/database.ts';
import { keepIntegration } from '../../store/integrations/integrations.ts';
import { forgetGrant } from '../../store/integrations/oauth-grants.ts';
import { notFound } from '../errors.ts';
import type { ToolContext } from '../tool-context.ts';
import type { ConnectRequest } from './connect-request.ts';

/** What svc_connect_integration answers. */
export interface Connected {
  integrationId: string;
  status: string;
  authUrl: string | null;
  signingSecret: string | null;
  replayed: number | null;
}

/** A connected integration of the workspace, as it is stored. */
export interface OwnIntegration {
  id: string;
  url: string;
  sealed: Buffer | null;
  events: string[];
  /** The user whose own it is; null: the workspace's. */
  memberUser: string | null;
}

/** The integration that a request names, of the provider that it names. */
export function ownIntegration(
  tx: Tx,
  workspaceId: string,
  { integrationId, provider }: Pick<ConnectRequest, 'integrationId' | 'provider'>,
): Promise<OwnIntegration | undefined> {
  return tx.row<OwnIntegration>(
    `select id, url, sealed, events, member_user as "memberUser"
     from integration
     where id = $1 and workspace_id = $2 and provider = $3 and deleted_at is null`,
    [integrationId, workspaceId, provider],
  );
}

interface Stored {
  integrationId: string;
  kind: string;
  request: ConnectRequest;
  url: string;
  sealed: Buffer;
}

/** @throws UserError not found when somebody disconnected it while its credentials were tried */
export async function storeIntegration(tx: Tx, ctx: ToolContext, stored: Stored): Promise<void> {
  const { integrationId, kind, request, url, sealed } = stored;
  const kept = await keepIntegration(tx, {
    id: integrationId,
    workspaceId: ctx.workspaceId,
    provider: request.provider,
    kind,
    name: request.name ?? null,
    url,
    sealed,
    twoWay: request.twoWay ?? null,
    fieldMapping: request.fieldMapping ?? null,
    now: ctx.clocks.product.now(),
  });
  if (!kept) throw notFound('integration', integrationId);
  // What a vendor granted before is not what it is connected by now.
  await forgetGrant(tx, integrationId);
}
