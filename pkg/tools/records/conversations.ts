import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import type { ToolContext } from '../tool-context.ts';

/** Result field of what is about one person. */
export const conversationIds = z
  .array(z.string())
  .describe('With this person, newest first, for svc_list_messages; empty without scope inbox:read.');

/** Conversations that one person shows at most. */
const MOST = 10;

/**
 * Select of the ids of the conversations with the person $1, of accounts that the caller sees: an account knows a person by the
 * conversation itself, or by the provider's id under which it met them.
 */
export const CONVERSATIONS_WITH = `
  select o.id from conversation o where o.person_id = $1
  union
  select o.id
  from relation r
  join conversation o on o.account_id = r.account_id and o.provider_id = r.provider_id
  where r.person_id = $1 and r.provider_id <> ''`;

/**
 * Ids of the conversations of linked accounts with a person, newest first; none for a caller who may not read the inbox.
 */
export async function conversationsOf(ctx: ToolContext, tx: Tx, personId: string | null): Promise<string[]> {
  if (personId === null || !ctx.caller.scopes.has('inbox:read')) return [];
  const rows = await tx.rows<{ id: string }>(
    `select c.id
     from conversation c
     where c.id in (${CONVERSATIONS_WITH})
     order by c.last_message_at desc, c.id desc limit ${MOST}`,
    [personId],
  );
  return rows.map((row) => row.id);
}
