import { UserError } from '../../base/errors.ts';
import { calledName } from '../../domain/craft/called-names.ts';
import type { CraftOrder, ReplyIntent } from '../../domain/craft/craft-order.ts';
import { languageOf } from '../../domain/craft/language-of.ts';
import { factsAbout } from '../../domain/craft/offer-facts.ts';
import { defaultLanguage } from '../../domain/craft/writing-languages.ts';
import { personsWords } from '../../domain/persons-words.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import type { Tx } from '../../postgres/database.ts';
import { readVoice } from '../../store/content/brand-voice.ts';
import { agentPlaybook } from '../../store/playbooks/agent-playbook.ts';
import { resolveFor } from '../../store/playbooks/resolve-playbook.ts';
import { requireCampaign } from '../campaigns/campaign-row.ts';
import { type ConversationRow, requireConversation } from '../inbox/conversation-row.ts';
import { type LeadRow, readLeads } from '../records/lead.ts';
import type { ToolContext } from '../tool-context.ts';
import { askedLanguage, type CraftParams } from './craft-params.ts';
import type { CraftWork } from './craft-texts.ts';
import { factsSaid, personaOf, senderIn } from './lead-order.ts';

/** An answer to the latest message of a conversation. */
export interface ReplyText extends Omit<CraftParams, 'variants'> {
  conversationId: string;
  intent: ReplyIntent;
}

/** What the person wrote last, in their own words; epoch ms. */
export interface LatestReply {
  id: string;
  /** Who it is in the workspace; null: nobody's lead. */
  leadId: string | null;
  text: string;
  at: number;
}

/** What is written in a conversation, and what it answers. @throws UserError not found, or where nobody has written yet */
export async function replyWork(ctx: ToolContext, asked: ReplyText): Promise<{ work: CraftWork; latest: LatestReply }> {
  const now = ctx.clocks.product.now();
  const given = askedLanguage(asked.language);
  return ctx.tx(async (tx) => {
    const talk = await requireConversation(tx, asked.conversationId);
    const workspaceId = await workspaceOf(ctx, tx, talk);
    const persona = await personaOf(tx, workspaceId, asked.personaId);
    const latest = await latestOf(tx, talk);
    const agent = talk.agent_id ? await agentPlaybook(tx, talk.agent_id) : null;
    const { resolved } = await resolveFor(tx, workspaceId, talk.campaign_id, agent);
    const lead = await leadOf(tx, talk, { workspaceId, now });
    const said = await factsSaid(tx, talk.id);
    const order: CraftOrder = {
      task: { kind: 'reply', channel: 'message', intent: asked.intent },
      language: given ?? languageOf(latest.text) ?? defaultLanguage(lead?.country ?? '', resolved.text),
      facts: [...said, ...(lead ? factsAbout(lead, []) : [])],
      requireFacts: 0,
      maxLength: TEXT_LIMITS.message,
      addressee: calledName(lead?.first_name ?? talk.participant_name.split(' ')[0] ?? ''),
      sender: await senderIn(tx, talk),
      instructions: asked.instructions ?? '',
      playbook: resolved.text,
      persona,
      voice: await readVoice(tx, workspaceId),
      seed: `reply/${talk.id}/${latest.at}`,
      now,
    };
    const campaign = talk.campaign_id === null ? {} : { campaignId: talk.campaign_id };
    const nextStep = 'Read it by svc_list_messages.';
    const work: CraftWork = { workspaceId, ...campaign, action: 'ai_craft', order, resolved, touches: 1, nextStep };
    return { work, latest };
  });
}

/** The workspace whose campaign the conversation is of, else the only one of the caller's that the account is linked to. */
async function workspaceOf(ctx: ToolContext, tx: Tx, talk: ConversationRow): Promise<string> {
  if (talk.campaign_id !== null) return (await requireCampaign(tx, talk.campaign_id)).workspace_id;
  const own = ctx.caller.workspaces.map(({ workspaceId }) => workspaceId);
  const linked = await tx.rows<{ id: string }>(
    `select workspace_id as id from account_link where account_id = $1 and workspace_id = any ($2) order by 1 limit 2`,
    [talk.account_id, own],
  );
  const [first, second] = linked;
  if (first && !second) return first.id;
  const text =
    'The account works for several of your workspaces. Use a key of the one that is to pay: svc_create_api_key.';
  throw new UserError(text, 'SeveralWorkspaces');
}

async function leadOf(
  tx: Tx,
  talk: ConversationRow,
  { workspaceId, now }: { workspaceId: string; now: number },
): Promise<LeadRow | undefined> {
  if (talk.lead_id === null) return undefined;
  const [lead] = await readLeads(tx, { workspaceId, leadIds: [talk.lead_id], campaignId: talk.campaign_id, now });
  return lead;
}

/** Messages of ours that the person may quote. */
const OURS = 20;

async function latestOf(tx: Tx, { id: conversationId, lead_id: leadId }: ConversationRow): Promise<LatestReply> {
  const latest = await tx.row<Omit<LatestReply, 'leadId'>>(
    `select id, body as text, sent_at as at
     from message
     where conversation_id = $1 and direction = 'in'
     order by sent_at desc, id desc limit 1`,
    [conversationId],
  );
  if (!latest) {
    const text =
      'The person has not written in this conversation yet, so there is nothing to answer. Call svc_craft_message.';
    throw new UserError(text, 'NothingToAnswer');
  }
  const ours = await tx.rows<{ body: string }>(
    `select body from message where conversation_id = $1 and direction = 'out' order by sent_at desc limit ${OURS}`,
    [conversationId],
  );
  const sent = ours.map(({ body }) => body);
  return { ...latest, leadId, text: personsWords(latest.text, sent) || latest.text };
}
