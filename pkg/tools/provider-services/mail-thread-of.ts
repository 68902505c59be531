import { isUuid } from '../../base/ids.ts';
import { extendThread, plainSubject } from '../../domain/mail-thread.ts';
import type { Tx } from '../../postgres/database.ts';
import { invalidInput } from '../errors.ts';

/** The mail that is answered, with what its thread is known by. */
export interface AnsweredMail {
  accountId: string;
  personId: string | null;
  subject: string;
  /** Message-IDs of the thread, oldest first, that of the answered mail last. */
  references: string[];
  /** When it came or left, epoch ms, product time. */
  at: number;
}

/** A mail of the thread. */
interface ThreadMail {
  messageId: string;
  subject: string;
  at: number;
}

/**
 * A mail of the inbox, or one that svc_send_mail sent, as an answer to it names it: clients thread by the whole chain of Message-IDs
 * and the same subject.
 * @param id as svc_list_messages and svc_send_mail tell it
 * @throws UserError when it is no mail of the workspace
 */
export async function answeredMail(tx: Tx, workspaceId: string, id: string): Promise<AnsweredMail> {
  const found = isUuid(id)
    ? ((await incoming(tx, workspaceId, id)) ?? (await outgoing(tx, workspaceId, id)))
    : undefined;
  if (!found) throw invalidInput('inReplyToMessageId', 'is no mail of this workspace. Call svc_list_messages');
  const { accountId, personId, ...answered } = found;
  const plain = plainSubject(answered.subject).toLowerCase();
  const before = (await mailsWith(tx, workspaceId, found))
    .filter((one) => one.at <= answered.at && plainSubject(one.subject).toLowerCase() === plain)
    .toSorted((a, b) => a.at - b.at);
  const chain = [...new Set(before.map((one) => one.messageId))].filter((one) => one !== answered.messageId);
  const { references } = extendThread({ ...answered, accountId, references: chain });
  return { accountId, personId, subject: answered.subject, references: [...references], at: answered.at };
}

type Found = ThreadMail & { accountId: string; personId: string | null };

function incoming(tx: Tx, workspaceId: string, id: string): Promise<Found | undefined> {
  return tx.row(
    `select
       m.external_id as "messageId", coalesce(m.subject, '') as subject, m.sent_at as at, c.account_id as "accountId",
       c.person_id as "personId"
     from message m
     join conversation c on c.id = m.conversation_id and starts_with(c.external_id, 'mail:')
     join account_link k on k.account_id = c.account_id and k.workspace_id = $1
     where m.id = $2`,
    [workspaceId, id],
  );
}

/** A mail's id for its writer is that of the action. */
const SENT = `coalesce(s.target ->> 'givenId', s.target ->> 'messageId') as "messageId",
  coalesce(s.target ->> 'subject', '') as subject, s.dispatched_at as at`;

function outgoing(tx: Tx, workspaceId: string, id: string): Promise<Found | undefined> {
  return tx.row(
    `select ${SENT}, s.account_id as "accountId", s.person_id as "personId"
     from action a
     join send s on s.id = a.send_id
     where a.id = $2 and a.workspace_id = $1 and a.action = 'mail' and s.state = 'confirmed'`,
    [workspaceId, id],
  );
}

/** The newest mails between the mailbox and the person, in both directions. */
async function mailsWith(tx: Tx, workspaceId: string, { accountId, personId }: Found): Promise<ThreadMail[]> {
  if (personId === null) return [];
  return tx.rows<ThreadMail>(
    `(
       select m.external_id as "messageId", coalesce(m.subject, '') as subject, m.sent_at as at
       from conversation c
       join message m on m.conversation_id = c.id and m.direction = 'in'
       where c.account_id = $2 and c.external_id = 'mail:' || $3::text
       order by m.sent_at desc limit 40
     )
     union all
     (
       select ${SENT}
       from (
         select x.*
         from run r
         join send x on x.run_id = r.id
         where r.person_id = $3::uuid
         union all
         select x.*
         from action o
         join send x on x.action_id = o.id
         where o.person_id = $3::uuid
       ) s
       where s.workspace_id = $1 and s.account_id = $2 and s.action = 'mail' and s.state = 'confirmed'
       order by s.dispatched_at desc limit 40
     )`,
    [workspaceId, accountId, personId],
  );
}
