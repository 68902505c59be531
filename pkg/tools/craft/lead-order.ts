import { calledName } from '../../domain/craft/called-names.ts';
import type { CraftChannel, CraftOrder } from '../../domain/craft/craft-order.ts';
import { factsAbout, factsOfTalk } from '../../domain/craft/offer-facts.ts';
import { defaultLanguage } from '../../domain/craft/writing-languages.ts';
import { senderOf } from '../../domain/template.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import type { Tx } from '../../postgres/database.ts';
import { readVoice } from '../../store/content/brand-voice.ts';
import { agentPlaybook } from '../../store/playbooks/agent-playbook.ts';
import { resolveFor } from '../../store/playbooks/resolve-playbook.ts';
import { readLeadSignals } from '../../store/signals/lead-signals.ts';
import { requireCampaign } from '../campaigns/campaign-row.ts';
import { notFound } from '../errors.ts';
import { type ConversationRow, requireTalkWith } from '../inbox/conversation-row.ts';
import { requirePersona } from '../personas-phases/persona-row.ts';
import { requireLead } from '../records/lead.ts';
import type { ToolContext } from '../tool-context.ts';
import { askedLanguage, type CraftParams } from './craft-params.ts';
import type { CraftWork } from './craft-texts.ts';

/** A first text for a lead of a campaign. */
export interface LeadText extends Omit<CraftParams, 'variants'> {
  leadId: string;
  campaignId: string;
  channel: CraftChannel;
  conversationId?: string | undefined;
  maxLength?: number | undefined;
}

const NEXT_STEP = 'Add what is known of the lead by svc_upsert_lead.';

/** What is written for a lead, from facts on record, under the playbook that applies. @throws UserError not found */
export async function leadWork(ctx: ToolContext, asked: LeadText): Promise<CraftWork> {
  const now = ctx.clocks.product.now();
  const given = askedLanguage(asked.language);
  return ctx.tx(async (tx) => {
    const { workspace_id: workspaceId, id: campaignId } = await requireCampaign(tx, asked.campaignId);
    const lead = await requireLead(tx, { workspaceId, leadId: asked.leadId, campaignId, now });
    const persona = await personaOf(tx, workspaceId, asked.personaId);
    const { conversationId } = asked;
    const talk = conversationId === undefined ? null : await requireTalkWith(tx, conversationId, workspaceId, lead.id);
    const agent = talk?.agent_id ? await agentPlaybook(tx, talk.agent_id) : null;
    const { resolved } = await resolveFor(tx, workspaceId, campaignId, agent);
    const signals = (await readLeadSignals(tx, workspaceId, [lead.id], now)).get(lead.id) ?? [];
    const live = signals.filter((signal) => signal.occurredAt <= now && signal.expiresAt > now);
    const said = talk ? await factsSaid(tx, talk.id) : [];
    const order: CraftOrder = {
      task: { kind: 'first', channel: asked.channel },
      language: given ?? defaultLanguage(lead.country, resolved.text),
      facts: [...factsAbout(lead, live), ...said],
      requireFacts: 1,
      maxLength: asked.maxLength ?? TEXT_LIMITS[asked.channel],
      addressee: calledName(lead.first_name),
      sender: talk ? await senderIn(tx, talk) : senderOf(ctx.caller.user?.name ?? ''),
      instructions: asked.instructions ?? '',
      playbook: resolved.text,
      persona,
      voice: await readVoice(tx, workspaceId),
      seed: `${asked.channel}/${lead.id}`,
      now,
    };
    const touches = lead.last_contacted_at === null ? 0 : 1;
    return { workspaceId, campaignId, action: 'ai_craft', order, resolved, touches, nextStep: NEXT_STEP };
  });
}

/**
 * A persona of the workspace as the writer is told of it; null: none is named. A key of several workspaces sees the personas of all of
 * them, and the words of one client never reach a text for another. @throws UserError not found
 */
export async function personaOf(
  tx: Tx,
  workspaceId: string,
  personaId: string | undefined,
): Promise<CraftOrder['persona']> {
  if (personaId === undefined) return null;
  const found = await requirePersona(tx, personaId);
  if (found.workspace_id !== workspaceId) throw notFound('persona', personaId);
  const { name, description, pain_points: painPoints, goals } = found;
  return { name, description, painPoints, goals };
}

/** Messages that are read of a conversation; the newest. */
const MESSAGES = 8;

/** What was said in a conversation, as facts. */
export async function factsSaid(tx: Tx, conversationId: string): Promise<CraftOrder['facts']> {
  const rows = await tx.rows<{ direction: 'in' | 'out'; text: string; at: number }>(
    `select direction, body as text, sent_at as at
     from message
     where conversation_id = $1
     order by sent_at desc, id desc limit ${MESSAGES}`,
    [conversationId],
  );
  return factsOfTalk(rows);
}

/** Who writes in a conversation: its account. */
export async function senderIn(tx: Tx, { account_id: accountId }: ConversationRow): Promise<CraftOrder['sender']> {
  const account = await tx.row<{ name: string }>('select display_name as name from network_account where id = $1', [
    accountId,
  ]);
  return senderOf(account?.name ?? '');
}
