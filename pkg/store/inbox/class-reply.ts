import type { ReplyClass } from '../../domain/vocabulary.ts';
import type { Tx } from '../../postgres/database.ts';

/** What somebody found a reply to be. */
export interface ClassedReply {
  workspaceId: string;
  messageId: string;
  /** Whose reply it is in the workspace; null: nobody's. */
  leadId: string | null;
  replyClass: ReplyClass;
  /** Who found it, as the history tells it. */
  actor: string;
  /** Epoch ms, product time. */
  now: number;
}

/** Keeps it, and tells it where it is news (`reply.classified`); what rules found to bind us stays. @returns whether the class changed */
export async function classReply(tx: Tx, classed: ClassedReply): Promise<boolean> {
  const { workspaceId, messageId, leadId, replyClass, actor, now } = classed;
  const row = await tx.row<{ changed: boolean }>('select app.class_reply($1, $2, $3, $4, $5, $6) as changed', [
    workspaceId,
    messageId,
    leadId,
    replyClass,
    actor,
    now,
  ]);
  return row?.changed ?? false;
}
