import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../postgres/database.ts';
import { notFound } from '../errors.ts';

/** Refuses the id of a signal agent that the workspace has not; an agent is a schedule of that kind. @throws UserError not found */
export async function requireSignalAgent(tx: Tx, workspaceId: string, signalAgentId: string): Promise<void> {
  const found =
    isUuid(signalAgentId) &&
    (await tx.row(`select 1 from schedule where id = $1 and workspace_id = $2 and kind = 'signal_agent'`, [
      signalAgentId,
      workspaceId,
    ]));
  if (!found) throw notFound('signalAgent', signalAgentId);
}
