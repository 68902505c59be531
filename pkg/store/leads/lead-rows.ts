import type { Tx } from '../../postgres/database.ts';

/** A lead of a workspace, and what to write of it: values by column. */
interface LeadColumns {
  leadId: string;
  workspaceId: string;
  /** Names come from the program, never from a caller. */
  columns: Readonly<Record<string, unknown>>;
  /** Epoch ms UTC, product time. */
  now: number;
}

/** Adds a lead to the workspace's own. */
export async function insertLead(tx: Tx, { leadId, workspaceId, columns, now }: LeadColumns): Promise<void> {
  const names = Object.keys(columns);
  const places = names.map((_, index) => `$${index + 4}`);
  await tx.exec(
    `insert into lead (id, workspace_id, created_at, updated_at, ${names.join(', ')})
     values ($1, $2, $3, $3, ${places.join(', ')})`,
    [leadId, workspaceId, now, ...Object.values(columns)],
  );
}

/** Changes a lead of the workspace's own; one of the pool or of another workspace stays. */
export async function updateLead(tx: Tx, { leadId, workspaceId, columns, now }: LeadColumns): Promise<void> {
  const sets = Object.keys(columns).map((name, index) => `${name} = $${index + 4}`);
  await tx.exec(`update lead set ${sets.join(', ')}, updated_at = $3 where id = $1 and workspace_id = $2`, [
    leadId,
    workspaceId,
    now,
    ...Object.values(columns),
  ]);
}
