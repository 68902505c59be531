import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { iso } from '../times.ts';

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
    `select m.* from message m join conversation c on c.id = m.conversation_id
     where c.id in (
       select o.id from conversation o where o.person_id = $1
       union
       select o.id from relation r
       join conversation o on o.account_id = r.account_id and o.provider_id = r.provider_id
       where r.person_id = $1 and r.provider_id <> ''
     )
     order by m.sent_at desc, m.id desc limit $2`,
    [personId, limit],
  );
}
