import type { Tx } from '../../postgres/database.ts';

/** What somebody tells the product's makers. */
export interface Feedback {
  id: string;
  workspaceId: string;
  category: string;
  severity: string;
  toolName: string | null;
  message: string;
  by: string;
  requestId: string;
  /** Epoch ms UTC, product time. */
  now: number;
}

export async function insertFeedback(tx: Tx, given: Feedback): Promise<void> {
  await tx.exec(
    `insert into feedback (id, workspace_id, category, severity, tool_name, message, given_by, request_id, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      given.id,
      given.workspaceId,
      given.category,
      given.severity,
      given.toolName,
      given.message,
      given.by,
      given.requestId,
      given.now,
    ],
  );
}
