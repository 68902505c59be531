import { z } from 'zod';
import { messageOf, Waiting } from '../../base/errors.ts';
import { type Ids, systemIds } from '../../base/ids.ts';
import { buildPrompt, type PromptKind } from '../../domain/craft/build-prompt.ts';
import { carriesOrders } from '../../domain/craft/carries-orders.ts';
import { cleanForeign } from '../../domain/craft/clean-foreign.ts';
import { type CraftOrder, hasSubject } from '../../domain/craft/craft-order.ts';
import { playbookOf, TEMPLATE_NOTE } from '../../domain/playbook-writer.ts';
import { classifyReply } from '../../domain/reply-class.ts';
import { checkedVerdict, type JudgeQuestion, MOST_JUDGED, type Verdict } from '../../domain/signals/judge-text.ts';
import { REPLY_CLASSES, type ReplyClass } from '../../domain/vocabulary.ts';
import type { AiWriter } from './ai-writer.ts';
import { answerJson, isLooping } from './answer-json.ts';
import type { ChatModel } from './chat-model.ts';
import { craftText, type Drafted } from './craft-text.ts';

/** Times a model is asked for one text: a second one names what was wrong with the first. */
const TRIES = 2;
const PLAYBOOK_TIMEOUT_MS = 60_000;
const MOST_SEGMENTS = 40;
const TOKENS = { craft: 1_500, post: 3_000, classify: 50, judge: 300, playbook: 4_000 };

const classified = z.object({ class: z.enum(REPLY_CLASSES) });
const judged = z.object({ match: z.boolean(), reason: z.string(), evidence: z.string() });

/** The shape of an answer: ids are those that were given, so that nothing else can be cited. */
function draftShape(order: CraftOrder) {
  const ids = order.facts.map(({ id }) => id);
  const [first, ...rest] = ids;
  const factIds = first === undefined ? z.array(z.string()).max(0) : z.array(z.enum([first, ...rest])).max(8);
  const segment = z.object({ text: z.string(), factIds });
  const subject = hasSubject(order) ? segment : z.null();
  return z.object({ subject, segments: z.array(segment).min(1).max(MOST_SEGMENTS) });
}

/** What is read of an answer: what cites an unknown id cites nothing, and the checker decides. */
const readDraft = z.object({
  subject: z
    .union([
      z.object({ text: z.string(), factIds: z.array(z.string()).catch([]) }),
      z.null(),
      z.string().transform((text) => ({ text, factIds: [] })),
    ])
    .catch(null)
    .default(null),
  segments: z
    .array(z.object({ text: z.string(), factIds: z.array(z.string()).catch([]).default([]) }))
    .min(1)
    .max(MOST_SEGMENTS),
});

/** A language model as writer. It is believed in nothing: rules judge each of its texts, and it is never asked to do anything. */
export function modelWriter(model: ChatModel, ids: Pick<Ids, 'uuid' | 'name'> = systemIds): AiWriter {
  const prompt = (kind: PromptKind) => buildPrompt(kind, ids.name('b').slice(2));
  return {
    name: model.name,
    billable: true,
    writePlaybook: async (facts) => {
      const { system, user } = prompt({ kind: 'playbook', facts });
      try {
        const { text, cut, refused } = await model.answer(
          { system, user, maxTokens: TOKENS.playbook },
          AbortSignal.timeout(PLAYBOOK_TIMEOUT_MS),
        );
        if (!cut && !refused) return { text, byModel: true, notes: [] };
        const why = refused
          ? `${model.name} declined to write it.`
          : `${model.name} had no room to finish its text, which would lack its last rules.`;
        return { text: playbookOf(facts), byModel: false, notes: [why, TEMPLATE_NOTE] };
      } catch (error) {
        throw new Waiting(`The writer ${model.name} does not answer: ${messageOf(error)}`, 60_000, 'WriterAway');
      }
    },
    craft: (order, signal) =>
      craftText(
        { tries: TRIES, draft: (asked, complaint) => draftOf(model, prompt, asked, { complaint, signal }) },
        order,
        signal,
      ),
    classify: (text, receivedAt, signal) => classify(model, prompt, { text, receivedAt, signal }),
    judge: (question, signal) => judge(model, prompt, question, signal),
  };
}

type Prompts = (kind: PromptKind) => ReturnType<typeof buildPrompt>;

async function draftOf(
  model: ChatModel,
  prompt: Prompts,
  order: CraftOrder,
  { complaint, signal }: { complaint: string; signal: AbortSignal },
): Promise<Drafted> {
  const asked = prompt({ kind: 'craft', order, complaint });
  const maxTokens = order.task.kind === 'post' ? TOKENS.post : TOKENS.craft;
  const shape = draftShape(order);
  const answer = await model.answer({ ...asked, maxTokens, shape }, signal);
  if (answer.refused) return { failure: 'refused', reason: `${model.name} declined to write it` };
  if (isLooping(answer.text)) return { failure: 'no_answer', reason: `${model.name} repeats itself without end` };
  if (answer.cut) return { failure: 'unfinished', reason: `${model.name} had no room to finish its text` };
  const parsed = readDraft.safeParse(answerJson(answer.text));
  if (parsed.success) return { draft: withSubject(order, parsed.data), secrets: asked.secrets };
  return repair(model, prompt, order, { answer: answer.text, signal });
}

/** One round in which the model turns what it said into what it was asked for. */
async function repair(
  model: ChatModel,
  prompt: Prompts,
  order: CraftOrder,
  { answer, signal }: { answer: string; signal: AbortSignal },
): Promise<Drafted> {
  const asked = prompt({ kind: 'repair', answer });
  const { text, cut } = await model.answer({ ...asked, maxTokens: TOKENS.craft, shape: draftShape(order) }, signal);
  const parsed = cut ? undefined : readDraft.safeParse(answerJson(text));
  if (parsed?.success) return { draft: withSubject(order, parsed.data), secrets: asked.secrets };
  return { failure: 'no_answer', reason: `${model.name} did not answer in the form that was asked for` };
}

function withSubject(order: CraftOrder, draft: z.output<typeof readDraft>): z.output<typeof readDraft> {
  return { ...draft, subject: hasSubject(order) && draft.subject?.text.trim() ? draft.subject : null };
}

/**
 * The rules know what binds us legally; the model only decides what they leave open, from a closed list. A reply that gives orders to
 * its reader is not shown to a model.
 */
async function classify(
  model: ChatModel,
  prompt: Prompts,
  { text, receivedAt, signal }: { text: string; receivedAt: number; signal: AbortSignal },
): Promise<ReplyClass> {
  const { replyClass } = classifyReply(text, receivedAt);
  if (replyClass === 'unsubscribe' || replyClass === 'out_of_office') return replyClass;
  if (carriesOrders(cleanForeign(text, 5_000), true)) return replyClass;
  const asked = prompt({ kind: 'classify', reply: text });
  const answer = await model.answer({ ...asked, maxTokens: TOKENS.classify, shape: classified }, signal);
  const parsed = classified.safeParse(answerJson(answer.text));
  return parsed.success ? parsed.data.class : replyClass;
}

/** A text that gives orders to its reader is not shown to a model, and matches nothing; of an answer only what the source says counts. */
async function judge(
  model: ChatModel,
  prompt: Prompts,
  question: JudgeQuestion,
  signal: AbortSignal,
): Promise<Verdict> {
  const text = cleanForeign(question.text, MOST_JUDGED);
  if (carriesOrders(text)) return { match: false, reason: 'the text gives orders to its reader', evidence: '' };
  const asked = prompt({ kind: 'judge', question });
  const answer = await model.answer({ ...asked, maxTokens: TOKENS.judge, shape: judged }, signal);
  const parsed = judged.safeParse(answerJson(answer.text));
  if (!parsed.success || answer.refused || answer.cut)
    return { match: false, reason: `${model.name} did not answer in the form that was asked for`, evidence: '' };
  return checkedVerdict(parsed.data, text);
}
