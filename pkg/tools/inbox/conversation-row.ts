import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../postgres/database.ts';
import { type CompactForm, cut } from '../compact.ts';
import { notFound } from '../errors.ts';
import { iso } from '../times.ts';

/** Catalog record Conversation. */
export const conversation = z.object({
  conversationId: z.string(),
  networkAccountId: z.string(),
  leadId: z.string().nullable(),
  participant: z.object({ name: z.string(), headline: z.string(), profileUrl: z.string() }),
  lastMessageAt: z.string(),
  preview: z.string(),
  unread: z.number(),
  replyClass: z.string(),
  handledBy: z.object({
    kind: z.enum(['campaign', 'signal_agent', 'human', 'none']),
    id: z.string().nullable(),
    name: z.string().nullable(),
  }),
  otherWorkspaces: z.number(),
});

/** A conversation of a list: as much of it as the caller asked for. */
export const listedConversation = conversation
  .partial()
  .required({ conversationId: true })
  .extend({ participant: conversation.shape.participant.partial().optional() });

/** With whom, when, and what they want. */
export const CONVERSATION_FORM: CompactForm = {
  id: 'conversationId',
  known: Object.keys(conversation.shape),
  kept: ['leadId', 'participant', 'lastMessageAt', 'preview', 'unread', 'replyClass'],
  short: { participant: ({ name }: { name: string }) => (name === '' ? null : { name: cut(name, 40) }) },
};

/** A row of `conversation` with the workspace's own view of the person. */
export interface ConversationRow {
  id: string;
  account_id: string;
  participant_name: string;
  participant_headline: string;
  participant_profile_url: string;
  last_message_at: number;
  preview: string;
  unread: number;
  reply_class: string;
  lead_id: string | null;
  campaign_id: string | null;
  campaign_title: string | null;
  /** The signal agent that enqueued the last run; null: none, or it is deleted. */
  agent_id: string | null;
  agent_name: string | null;
  /** A person, and no workflow, wrote last since the run began. */
  by_human: boolean;
  links: number;
}

/**
 * Who the participant of conversation c is to each agency of the account: whom it met under the participant's id, of a mailbox whom it
 * wrote to at the same address.
 */
const PERSONS = `select c.person_id as id where c.person_id is not null union
  select m.person_id
  from relation m
  where m.account_id = c.account_id and m.provider_id = c.provider_id and c.provider_id <> ''
  union
  select o.id
  from app.met_at(c.account_id, c.person_id) o (id)
  where starts_with(c.external_id, 'mail:') and app.link_count(c.account_id) > 1`;

/**
 * Select list; row-level security keeps leads and runs to the caller's workspaces. What the provider does not say of the
 * participant is told by the lead: the one who works for several workspaces is shown the one whose campaign is told, too.
 */
export const CONVERSATION_COLUMNS = `c.id, c.account_id,
  coalesce(nullif(c.participant_name, ''), l.full_name, '') as participant_name,
  coalesce(nullif(c.participant_headline, ''), nullif(l.headline, ''), l.title, '') as participant_headline,
  coalesce(nullif(c.participant_profile_url, ''), l.profile_url, '') as participant_profile_url,
  c.last_message_at, c.preview, c.unread, c.reply_class, l.id as lead_id,
  coalesce((
    select m.via in ('tool', 'elsewhere') and m.sent_at >= coalesce(k.started_at, 0)
    from message m
    where m.conversation_id = c.id and m.direction = 'out'
    order by m.sent_at desc, m.id desc limit 1
  ), false) as by_human,
  k.id as campaign_id, k.title as campaign_title, g.id as agent_id, g.name as agent_name,
  app.link_count(c.account_id) as links
  from conversation c left join lateral (
    select l.id, l.full_name, l.headline, l.title, l.profile_url
    from (${PERSONS}) p cross join lateral app.leads_of(p.id) x (id) join lead l on l.id = x.id
    order by (select max(r.started_at) from run r where r.person_id = p.id and r.lead_id = l.id) desc nulls last, l.workspace_id nulls last limit 1) l on true
  left join lateral (
    select r.id as run_id, r.started_at, r.campaign_id as id, (select g.title from campaign g where g.id = r.campaign_id) as title
    from (${PERSONS}) p join run r on r.person_id = p.id order by r.started_at desc limit 1) k on true
  left join lateral (
    select s.id::text as id, s.name
    from signal_decision d join schedule s on s.id = d.agent_id and s.deleted_at is null
    where d.run_id = k.run_id limit 1) g on true`;

/** The record of a row; what other workspaces do with the inbox shows only as their number. */
export function conversationOf(row: ConversationRow): z.input<typeof conversation> {
  return {
    conversationId: row.id,
    networkAccountId: row.account_id,
    leadId: row.lead_id,
    participant: {
      name: row.participant_name,
      headline: row.participant_headline,
      profileUrl: row.participant_profile_url,
    },
    lastMessageAt: iso(row.last_message_at),
    preview: row.preview,
    unread: row.unread,
    replyClass: row.reply_class,
    handledBy: handlerOf(row),
    otherWorkspaces: Math.max(0, row.links - 1),
  };
}

/** A person who talks to them by hand, the agent that found the person, else the campaign of the last run. */
function handlerOf(row: ConversationRow): z.input<typeof conversation>['handledBy'] {
  if (row.by_human) return { kind: 'human', id: null, name: null };
  if (row.agent_id !== null) return { kind: 'signal_agent', id: row.agent_id, name: row.agent_name };
  if (row.campaign_id === null) return { kind: 'none', id: null, name: null };
  return { kind: 'campaign', id: row.campaign_id, name: row.campaign_title };
}

/** Reads a conversation of a linked account. @throws UserError not found */
export async function requireConversation(tx: Tx, conversationId: string): Promise<ConversationRow> {
  const row = isUuid(conversationId)
    ? await tx.row<ConversationRow>(`select ${CONVERSATION_COLUMNS} where c.id = $1`, [conversationId])
    : undefined;
  if (!row) throw notFound('conversation', conversationId);
  return row;
}

/**
 * Reads a conversation with a lead, of an account that works for the workspace. A key of several workspaces sees the conversations of
 * all of them: what one client's contact wrote is told to nobody else's. @throws UserError not found
 */
export async function requireTalkWith(
  tx: Tx,
  conversationId: string,
  workspaceId: string,
  leadId: string,
): Promise<ConversationRow> {
  const row = await requireConversation(tx, conversationId);
  const theirs = await tx.row(
    `select c.id
     from conversation c
     join account_link k on k.account_id = c.account_id and k.workspace_id = $2
     where c.id = $1
       and exists (select from (${PERSONS}) p cross join lateral app.leads_of(p.id) x (id) where x.id = $3)`,
    [conversationId, workspaceId, leadId],
  );
  if (!theirs) throw notFound('conversation', conversationId);
  return row;
}
