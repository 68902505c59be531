import type { SaidThing, WrittenTo } from '../../domain/craft/offer-facts.ts';
import type { Tx } from '../../postgres/database.ts';

/** A conversation in which the person wrote whom an agent enqueued. Times epoch ms, product time. */
export interface AnsweredTalk {
  workflowId: string;
  campaignId: string;
  leadId: string;
  conversationId: string;
  lead: WrittenTo & { firstName: string; country: string };
  /** Display name of the account. */
  sender: string;
  /** Settings of the campaign. */
  settings: object;
  /** The newest messages, newest first; none where nothing is stored. */
  said: SaidThing[];
}

/** Messages that an answer looks at: as many as are offered as facts, and as the person may quote. */
const MESSAGES = 20;

/**
 * The conversation in which a run's person wrote to an account; an agent that answers no more has none.
 * @param of as the schedule of the answer keeps them
 */
export async function answeredTalk(
  tx: Tx,
  of: { runId: string; agentId: string; accountId: string },
): Promise<AnsweredTalk | undefined> {
  const row = await tx.row<Omit<AnsweredTalk, 'said'>>(
    `select
       r.workflow_id as "workflowId", r.campaign_id as "campaignId", r.lead_id as "leadId",
       c.id as "conversationId", n.display_name as sender, k.settings,
       jsonb_build_object(
         'firstName', l.first_name, 'title', l.title, 'company', l.company, 'headline', l.headline,
         'industry', l.industry, 'location', l.location, 'country', l.country
       ) as lead
     from signal_agent a
     join schedule s on s.id = a.id and s.deleted_at is null
     join run r on r.id = $1 and r.workspace_id = a.workspace_id
     join campaign k on k.id = r.campaign_id and k.deleted_at is null
     join lead l on l.id = r.lead_id and l.erased_at is null
     join network_account n on n.id = $3
     join lateral (
       select o.id, o.last_message_at
       from conversation o
       where o.account_id = $3 and o.person_id = r.person_id
       union
       select o.id, o.last_message_at
       from relation m
       join conversation o on o.account_id = m.account_id and o.provider_id = m.provider_id
       where m.account_id = $3 and m.person_id = r.person_id and m.provider_id <> ''
       order by last_message_at desc, id limit 1
     ) c on true
     where a.id = $2 and a.handle_replies`,
    [of.runId, of.agentId, of.accountId],
  );
  if (!row) return undefined;
  const said = await tx.rows<SaidThing>(
    `select direction, body as text, sent_at as at
     from message
     where conversation_id = $1
     order by sent_at desc, id desc limit ${MESSAGES}`,
    [row.conversationId],
  );
  return { ...row, said };
}

/** Whether somebody drafted an answer to the message already, whatever became of it. @param at when it was written */
export async function isAnswered(tx: Tx, conversationId: string, at: number): Promise<boolean> {
  const row = await tx.row('select 1 from review_item where conversation_id = $1 and answers_at >= $2 limit 1', [
    conversationId,
    at,
  ]);
  return row !== undefined;
}

/**
 * Whether somebody answers the person besides a draft: a message went out in the conversation after what the draft answers, or one to the
 * person was sent or is planned since.
 * @param of `at`: when the message was written that is answered, epoch ms, product time; `except`: the action that asks, which other
 * answers to be sent do not stop; null: it is not planned yet
 */
export async function isAnsweredBesides(
  tx: Tx,
  of: { accountId: string; chatId: string; personId: string | null; at: number; except: string | null },
): Promise<boolean> {
  const row = await tx.row(
    `select 1
     where exists (
         select 1
         from conversation c
         join message m on m.conversation_id = c.id
         where c.account_id = $1 and c.external_id = $2 and m.direction = 'out' and m.sent_at > $4
       )
       or exists (
         select 1
         from action a
         where a.person_id = $3
           and a.action = 'message'
           and a.id is distinct from $5
           and (
             a.ended_at is null and ($5::uuid is null or not a.target ? 'answersAt')
             or a.state = 'done' and a.ended_at > $4
           )
       )`,
    [of.accountId, of.chatId, of.personId, of.at, of.except],
  );
  return row !== undefined;
}

/** The person of a run; null: nobody is settled yet, or the run is gone. */
export async function personOfRun(tx: Tx, runId: string): Promise<string | null> {
  return (
    (await tx.row<{ personId: string | null }>('select person_id as "personId" from run where id = $1', [runId]))
      ?.personId ?? null
  );
}

/** Where an approved answer goes. */
export async function whereAnswered(
  tx: Tx,
  conversationId: string,
): Promise<{ chatId: string; providerId: string } | undefined> {
  return tx.row<{ chatId: string; providerId: string }>(
    `select external_id as "chatId", coalesce(provider_id, '') as "providerId" from conversation where id = $1`,
    [conversationId],
  );
}
