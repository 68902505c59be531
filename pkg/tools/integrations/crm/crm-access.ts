import { z } from 'zod';
import { CallError } from '../../../providers/call-error.ts';
import type { CrmAccess, CrmProvider } from '../../../providers/crm/crm-provider.ts';
import { CRMS } from '../../../providers/integrations.ts';
import { type CrmIntegration, readCrm } from '../../../store/integrations/crm-integrations.ts';
import type { JobContext } from '../../jobs/job-step.ts';

/** A CRM whose credentials are open. */
export interface OpenCrm {
  crm: CrmProvider;
  access: CrmAccess;
  integration: CrmIntegration;
}

/** Real ms within which a server renews an access token that is at its end (renewGrantsJob). */
const RENEWED_MS = 60_000;
const credentialsSchema = z.record(z.string(), z.string());

/** Opens a connected CRM. @throws CallError `refused` when it is gone, `auth` when its credentials do not open */
export async function openCrm(
  context: Pick<JobContext, 'tx' | 'clocks' | 'ids' | 'connections'>,
  workspaceId: string,
  integrationId: string,
): Promise<OpenCrm> {
  const { connections } = context;
  if (!connections) throw new CallError('auth', 'OUTRIDER_SECRETS_KEY is not set, so stored credentials stay closed');
  const integration = await context.tx((tx) => readCrm(tx, workspaceId, integrationId));
  const crm = integration && CRMS[integration.provider];
  if (!integration || !crm) throw new CallError('refused', `integration ${integrationId} is not connected`);
  if (integration.sealed === null || integration.status === 'needs_auth')
    throw new CallError('auth', `integration ${integrationId} needs new credentials: svc_connect_integration`);
  if (integration.stale) throw new CallError('busy', 'the access token is being renewed', RENEWED_MS);
  const text = connections.sealer.open(integration.sealed, `integration:${integrationId}`);
  const credentials = credentialsSchema.parse(JSON.parse(text));
  const url = integration.url || crm.url;
  const oauth = credentials['oauth'] !== undefined;
  const access = { url, token: credentials['token'] ?? '', oauth, reach: connections.reachOf(url) };
  return { crm, access, integration };
}
