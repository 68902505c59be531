import { NO_ENRICHMENT } from '../../providers/enrichment/choose-enrichment.ts';
import { wrongState } from '../errors.ts';
import type { ToolContext } from '../tool-context.ts';
import { deskOf } from './desk-of.ts';

/** @throws UserError where nobody can be asked for this workspace */
export async function requireProvider(ctx: ToolContext, workspaceId: string): Promise<void> {
  if ((await deskOf(ctx, workspaceId)).providers.length > 0) return;
  const says = NO_ENRICHMENT.charAt(0).toUpperCase() + NO_ENRICHMENT.slice(1);
  const none = `${says}, and the workspace connected none (svc_connect_integration)`;
  throw wrongState(`${none}; a platform admin sets one up`, 'svc_submit_feedback');
}
