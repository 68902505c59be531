import { UserError } from '../../../base/errors.ts';
import { withoutUnseen } from '../../../domain/identity/reading.ts';
import { CallError } from '../../../providers/call-error.ts';
import type { CrmList } from '../../../providers/crm/crm-lists.ts';
import { noteHealth } from '../../../store/integrations/crm-integrations.ts';
import { notFound, wrongState } from '../../errors.ts';
import type { ToolContext } from '../../tool-context.ts';
import { type OpenCrm, openCrm } from './crm-access.ts';

/** The workspace of a connected integration, and its kind and state. @throws UserError not found */
export async function requireIntegration(
  ctx: Pick<ToolContext, 'tx'>,
  integrationId: string,
): Promise<{ workspaceId: string; kind: string; status: string }> {
  const row = await ctx.tx((tx) =>
    tx.row<{ workspaceId: string; kind: string; status: string }>(
      `select workspace_id as "workspaceId", kind, status from integration where id = $1 and deleted_at is null`,
      [integrationId],
    ),
  );
  if (!row) throw notFound('integration', integrationId);
  return row;
}

/** A CRM whose lists can be read now. @throws UserError for what is no CRM, and for one that needs new credentials */
export async function requireCrm(ctx: ToolContext, integrationId: string): Promise<OpenCrm> {
  const { workspaceId, kind, status } = await requireIntegration(ctx, integrationId);
  if (kind !== 'crm') {
    throw wrongState(
      `The integration is a ${kind}, which has no lists of people; connect a CRM`,
      'svc_connect_integration',
    );
  }
  if (status === 'needs_auth') throw notConnected();
  return asked(ctx, integrationId, () => openCrm(ctx, workspaceId, integrationId));
}

const notConnected = (): UserError =>
  wrongState('The integration is not connected: it needs new credentials', 'svc_connect_integration');

/** Characters of a foreign name that are shown and kept. */
const LONGEST_NAME = 200;

/** A list of a CRM with its name as we show and keep it: cut, and without signs that nobody sees. */
export function shownList(list: CrmList): CrmList {
  const cut = (text: string, most: number): string => withoutUnseen(text).slice(0, most).toWellFormed();
  return { ...list, name: cut(list.name, LONGEST_NAME), kind: cut(list.kind, 60) };
}

/**
 * Asks a CRM in the words of a tool. @throws UserError saying what the CRM said
 * @param notes whether the tool may write that the credentials are refused
 */
export async function asked<T>(
  ctx: ToolContext,
  integrationId: string,
  work: () => Promise<T>,
  notes = false,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    if (error.kind === 'auth') {
      const failure = { error: error.message, needsAuth: true };
      if (notes) await ctx.unrecorded((tx) => noteHealth(tx, integrationId, failure, ctx.clocks.product.now()));
      throw notConnected();
    }
    throw new UserError(
      `The CRM could not be asked: ${error.message}. Try again in a minute, or call svc_list_integrations.`,
      'ConnectionFailed',
    );
  }
}
