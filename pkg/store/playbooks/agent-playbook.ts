import type { StoredPlaybook } from '../../domain/playbook.ts';
import type { Tx } from '../../postgres/database.ts';

/** The agent that handles something; `own` null: it has no playbook of its own. */
export interface HandlingAgent {
  own: StoredPlaybook | null;
}

interface Row {
  id: string;
  version: string;
  text: string;
}

const AGENT = `a.id::text as id, a.playbook_version::text as version, a.playbook as text
  from signal_agent a
  join schedule s on s.id = a.id and s.deleted_at is null`;

/** The agent that enqueued the person of a run; null: none did, or it is deleted. */
export async function agentOfRun(tx: Tx, runId: string): Promise<HandlingAgent | null> {
  const row = await tx.row<Row>(
    `select ${AGENT} join signal_decision d on d.agent_id = a.id where d.run_id = $1 limit 1`,
    [runId],
  );
  return row ? { own: row.text === '' ? null : row } : null;
}

/** An agent of a workspace by its id; null: there is none. @param agentId a UUID */
export async function agentPlaybook(tx: Tx, agentId: string): Promise<HandlingAgent | null> {
  const row = await tx.row<Row>(`select ${AGENT} where a.id = $1`, [agentId]);
  return row ? { own: row.text === '' ? null : row } : null;
}
