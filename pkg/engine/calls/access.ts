import { z } from 'zod';
import { CallError } from '../../providers/call-error.ts';
import { type IntegrationRow, readIntegration } from '../../store/integrations/integrations.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { Outside } from './outside.ts';

/** Real ms within which a server renews an access token that is at its end. */
const RENEWED_MS = 60_000;
const credentialsSchema = z.record(z.string(), z.string());

/** The integration with its credentials. @throws CallError `refused` when it is gone, `auth` when they do not open */
export async function integrationAccess(
  deps: EngineDeps & { outside: Outside },
  integrationId: string,
): Promise<{ row: IntegrationRow; credentials: Record<string, string> }> {
  const row = await deps.claim.tx((tx) => readIntegration(tx, deps.workspaceId, integrationId));
  if (!row) throw new CallError('refused', `integration ${integrationId} is not connected`);
  if (row.stale) throw new CallError('busy', `the access token of ${integrationId} is being renewed`, RENEWED_MS);
  return { row, credentials: openCredentials(deps.outside, row.sealed, `integration:${row.id}`) };
}

/** @throws CallError `auth`; the message names no credential */
export function openCredentials(outside: Outside, sealed: Buffer | null, owner: string): Record<string, string> {
  if (!sealed) return {};
  if (!outside.sealer)
    throw new CallError('auth', 'OUTRIDER_SECRETS_KEY is not set, so stored credentials stay closed');
  try {
    return credentialsSchema.parse(JSON.parse(outside.sealer.open(sealed, owner)));
  } catch {
    throw new CallError('auth', `the credentials of ${owner} do not open with this OUTRIDER_SECRETS_KEY`);
  }
}
