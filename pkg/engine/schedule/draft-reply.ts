import { withDeadline } from '../../base/clock.ts';
import { calledName } from '../../domain/craft/called-names.ts';
import type { CraftedText, CraftOrder, ReplyIntent } from '../../domain/craft/craft-order.ts';
import { languageOf } from '../../domain/craft/language-of.ts';
import { factsAbout, factsOfTalk, type SaidThing } from '../../domain/craft/offer-facts.ts';
import { defaultLanguage } from '../../domain/craft/writing-languages.ts';
import { creditsFor } from '../../domain/credits.ts';
import { personsWords } from '../../domain/persons-words.ts';
import type { ResolvedPlaybook } from '../../domain/playbook.ts';
import { reviewExpiresAt } from '../../domain/review-expiry.ts';
import { reviewFlags } from '../../domain/review-flags.ts';
import { senderOf } from '../../domain/template.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { CallError } from '../../providers/call-error.ts';
import { readVoice } from '../../store/content/brand-voice.ts';
import { holdCredits, mustSettle, releaseHold } from '../../store/credits/credits.ts';
import { agentPlaybook } from '../../store/playbooks/agent-playbook.ts';
import { resolveFor } from '../../store/playbooks/resolve-playbook.ts';
import { insertReviews } from '../../store/reviews/review-items.ts';
import { appendEvents } from '../../store/runs/run-events.ts';
import { type AnsweredTalk, answeredTalk, isAnswered } from '../../store/signals/agent-replies.ts';
import { callWriter } from '../calls/call-writer.ts';
import { reviewHours } from '../settings.ts';
import { ANSWER_MS, type ScheduleContext, type ScheduleHandler, type ScheduleStep } from './schedule-handler.ts';

/** An answer that is to be written. */
interface Answer {
  talk: AnsweredTalk;
  accountId: string;
  runId: string;
  /** When the message was written that it answers, epoch ms. */
  at: number;
  resolved: ResolvedPlaybook;
  order: CraftOrder;
}

/**
 * Drafts an answer to the reply of somebody whom an agent with handleReplies enqueued, under the agent's playbook, and puts it before a
 * person. It sends nothing: what is approved is planned as a message by hand is, and stops where the person writes again before it leaves.
 */
export const draftReply: ScheduleHandler = {
  kind: 'agent_reply',
  async run(context) {
    const answer = await answerOf(context);
    if ('skipped' in answer) return { kind: 'done', result: answer };
    return {
      kind: 'ask',
      cursor: {},
      result: {},
      async ask(outside, signal, deps) {
        const { writer } = await callWriter({ ...deps, outside });
        const crafted = await withDeadline(ANSWER_MS, signal, (asked) => writer.craft(answer.order, asked)).catch(
          refusedOr,
        );
        if (crafted.kind !== 'written') return skip(crafted.reason);
        const price = writer.billable ? creditsFor('ai_craft', 1) : 0;
        return (after) => keep(after, answer, crafted.text, { price, writer: writer.name });
      },
    };
  },
};

/** A model that says no to the text says so again. @throws what is no refusal: the step is tried again */
function refusedOr(error: unknown): { kind: 'refused'; reason: string } {
  if (error instanceof CallError && error.kind === 'refused') return { kind: 'refused', reason: error.message };
  throw error;
}

function skip(reason: string): () => Promise<ScheduleStep> {
  return () => Promise.resolve({ kind: 'done', result: { skipped: `no text was written: ${reason}` } });
}

/** Whom and what an answer is for, as the schedule keeps it. */
function askedBy({ run }: ScheduleContext): Record<'runId' | 'agentId' | 'accountId' | 'replyClass', string> {
  const text = (name: string): string => String(run.settings[name] ?? '');
  return {
    runId: text('runId'),
    agentId: text('agentId'),
    accountId: text('accountId'),
    replyClass: text('replyClass'),
  };
}

/** The conversation and its newest message, where that is still to be answered; `skipped`: why it is not. */
async function talkOf(
  context: ScheduleContext,
): Promise<{ talk: AnsweredTalk; newest: SaidThing } | { skipped: string }> {
  const { tx } = context;
  const talk = await answeredTalk(tx, askedBy(context));
  if (!talk) return { skipped: 'the agent answers no more, or the lead or the conversation is gone' };
  const [newest] = talk.said;
  if (newest?.direction !== 'in') return { skipped: 'somebody answered meanwhile' };
  if (await isAnswered(tx, talk.conversationId, newest.at)) return { skipped: 'an answer was drafted already' };
  return { talk, newest };
}

/** What is to be answered, and how, as it stands now; `skipped`: why nothing is. */
async function answerOf(context: ScheduleContext): Promise<Answer | { skipped: string }> {
  const found = await talkOf(context);
  if ('skipped' in found) return found;
  const { talk, newest } = found;
  const { tx, now } = context;
  const { workspaceId } = context.run;
  const { runId, agentId, accountId, replyClass } = askedBy(context);
  const agent = await agentPlaybook(tx, agentId);
  const { resolved } = await resolveFor(tx, workspaceId, talk.campaignId, agent);
  const sent = talk.said.flatMap((one) => (one.direction === 'out' ? [one.text] : []));
  const words = personsWords(newest.text, sent) || newest.text;
  const { lead } = talk;
  const order: CraftOrder = {
    task: { kind: 'reply', channel: 'message', intent: intentOf(replyClass) },
    language: languageOf(words) ?? defaultLanguage(lead.country, resolved.text),
    facts: [...factsOfTalk(talk.said), ...factsAbout(lead, [])],
    requireFacts: 0,
    maxLength: TEXT_LIMITS.message,
    addressee: calledName(lead.firstName),
    sender: senderOf(talk.sender),
    instructions: '',
    playbook: resolved.text,
    persona: null,
    voice: await readVoice(tx, workspaceId),
    seed: `reply/${talk.conversationId}/${newest.at}`,
    now,
  };
  return { talk, accountId, runId, at: newest.at, resolved, order };
}

/** What an answer is to do, by what the reply means. */
function intentOf(replyClass: string): ReplyIntent {
  if (replyClass === 'positive') return 'book_meeting';
  return replyClass === 'negative' ? 'polite_close' : 'answer';
}

/** Puts the text before people, where nobody has answered meanwhile; a language model's text is charged with it. */
async function keep(
  context: ScheduleContext,
  answer: Answer,
  text: CraftedText,
  { price, writer }: { price: number; writer: string },
): Promise<ScheduleStep> {
  const { tx, run, now, newId } = context;
  const again = await talkOf(context);
  if ('skipped' in again) return { kind: 'done', result: again };
  if (again.newest.at !== answer.at) return { kind: 'done', result: { skipped: 'the person wrote again meanwhile' } };
  const hold = price > 0 ? await holdFor(context, answer, price) : null;
  if (price > 0 && hold === null)
    return { kind: 'done', result: { skipped: 'the workspace or the campaign has no credits left' } };
  const { talk, runId, accountId, resolved, order } = answer;
  const id = newId();
  const flags = reviewFlags({
    body: text.text,
    facts: [...text.facts, { text: order.playbook ?? '' }],
    maxLength: order.maxLength,
    bannedPhrases: order.voice.bannedPhrases,
    touches: 1,
    signalAt: null,
    now,
  });
  const made = await insertReviews(tx, run.workspaceId, [
    {
      id,
      workflowId: talk.workflowId,
      campaignId: talk.campaignId,
      runId,
      leadId: talk.leadId,
      accountId,
      nodeId: 'reply',
      sendNodeId: 'reply',
      channel: 'message',
      subject: null,
      body: text.text,
      facts: text.facts,
      riskFlags: [...flags],
      createdAt: now,
      expiresAt: reviewExpiresAt(now, undefined, reviewHours(talk.settings)),
      playbookSource: resolved.source,
      conversationId: talk.conversationId,
      answersAt: answer.at,
    },
  ]);
  if (!made.has(id)) {
    if (hold !== null) await releaseHold(tx, hold, now, 'another draft answers the message');
    return { kind: 'done', result: { skipped: 'an answer was drafted already' } };
  }
  if (hold !== null) await mustSettle(tx, hold, price, now, 'the answer');
  const event = { runId, at: now, kind: 'review.pending', nodeId: null, actor: 'engine', text: '' } as const;
  await appendEvents(tx, run.workspaceId, [{ ...event, data: { reviewItemId: id } }]);
  return { kind: 'done', result: { reviewItemId: id, writer, credits: price } };
}

/** Holds what the text costs; null: there is not so much left. */
async function holdFor(
  { tx, run, now, newId }: ScheduleContext,
  { talk }: Answer,
  credits: number,
): Promise<string | null> {
  const hold = await holdCredits(tx, {
    id: newId(),
    workspaceId: run.workspaceId,
    amount: credits,
    action: 'ai_craft',
    campaignId: talk.campaignId,
    idempotencyKey: `agent-reply:${run.id}`,
    inputHash: talk.conversationId,
    now,
  });
  return hold.kind === 'held' ? hold.holdId : null;
}
