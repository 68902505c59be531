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
  reason: z.string().nullable(),
  attachments: z.array(z.object({ name: z.string(), type: z.string() })),
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
  /** Why it was not sent; null: it was, or waits. */
  reason: string | null;
  attachments: unknown;
}

/**
 * Select list of a message `m`. An account may be shared: its run is told where the caller may read it, never that of another agency's
 * workspace.
 */
export const MESSAGE_COLUMNS = `m.id, m.direction, m.subject, m.body, m.sent_at, m.status, m.via,
  (select r.id from run r where r.id = m.run_id) as run_id, null::text as reason, m.attachments`;

/**
 * As SQL: messages of the conversation c that tools planned and that account sync has not read: they wait, were sent just now, or came
 * to nothing. The columns are those of a message.
 */
export const PLANNED_MESSAGES = `select a.id, 'out' as direction, a.target ->> 'subject' as subject,
    coalesce(a.body, '') as body,
    coalesce(a.due_at, a.ended_at, a.created_at) as sent_at,
    case a.state when 'open' then 'scheduled' when 'done' then 'sent' else 'failed' end as status,
    'tool' as via, null::uuid as run_id,
    case when a.state in ('failed', 'stopped') then coalesce(a.error, '') end as reason, '[]'::jsonb as attachments
  from action a left join send s on s.id = a.send_id
  where a.account_id = c.account_id
    and a.action = case
      when starts_with(c.external_id, 'mail:') then 'mail'
      when c.in_mail then 'inmail'
      else 'message'
    end
    and a.person_id in (
      select c.person_id where c.person_id is not null
      union
      select r.person_id from relation r
      where r.account_id = c.account_id and r.provider_id = c.provider_id and c.provider_id <> '')
    and coalesce(a.target ->> 'chatId', c.external_id) = c.external_id
    and (a.action = 'mail' or a.state <> 'done' or a.ended_at >= c.synced_at)
    and not exists (select 1 from message m where m.account_id = a.account_id and m.external_id = s.provider_ref)`;

function attachmentsOf(given: unknown): { name: string; type: string }[] {
  return Array.isArray(given) ? given : [];
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
    reason: row.reason,
    attachments: attachmentsOf(row.attachments),
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
