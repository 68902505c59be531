import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { iso } from '../times.ts';
import { CONVERSATIONS_WITH } from './conversations.ts';

/** Catalog record Message. */
export const messageRecord = z.object({
  messageId: z.string(),
  direction: z.enum(['in', 'out']),
  subject: z.string().nullable(),
  body: z.string(),
  sentAt: z.string(),
  status: z.string(),
  via: z.string(),
  runId: z.string().nullable(),
});

/** A row of `message`. */
export interface MessageRow {
  id: string;
  direction: 'in' | 'out';
  subject: string | null;
  body: string;
  sent_at: number;
  status: string;
  via: string;
  run_id: string | null;
}

/**
 * Select list of a message `m`. An account may be shared: its run is told where the caller may read it, never that of another agency's
 * workspace.
 */
export const MESSAGE_COLUMNS = `m.id, m.direction, m.subject, m.body, m.sent_at, m.status, m.via,
  (select r.id from run r where r.id = m.run_id) as run_id`;

/** The record of a row. */
export function messageOf(row: MessageRow): z.input<typeof messageRecord> {
  return {
    messageId: row.id,
    direction: row.direction,
    subject: row.subject,
    body: row.body,
    sentAt: iso(row.sent_at),
    status: row.status,
    via: row.via,
    runId: row.run_id,
  };
}

/** The newest messages between the linked accounts and a person, newest first. */
export async function conversationWith(tx: Tx, personId: string | null, limit: number): Promise<MessageRow[]> {
  if (personId === null) return [];
  return tx.rows<MessageRow>(
    `select ${MESSAGE_COLUMNS}
     from message m
     where m.conversation_id in (${CONVERSATIONS_WITH})
     order by m.sent_at desc, m.id desc limit $2`,
    [personId, limit],
  );
}
