import { writeFileSync } from 'node:fs';
import { NEVER } from '../../pkg/base/clock.ts';
import type { ChatQuestion } from '../../pkg/providers/ai/chat-model.ts';
import { modelWriter } from '../../pkg/providers/ai/model-writer.ts';
import { sdkChat } from '../../pkg/providers/ai/sdk-chat.ts';
import { CallError } from '../../pkg/providers/call-error.ts';
import {
  DRAWN_FILE,
  type DrawnAnswer,
  drawnAnswers,
  drawnOrder,
  questionAt,
} from '../fixtures/writing/drawn-answers.ts';

/**
 * Draws answers of a real language model behind the real writer, and keeps them with the tests: `node test/tools/eval-writing.ts URL
 * COUNT`. Drawn answers are added to those that are kept; it can be stopped at any time. A person labels them then
 * (test/fixtures/writing/drawn-labels.ts), and `make test` judges them.
 */
/** Real ms for one answer: the model runs on the processor, beside other work. */
const PATIENCE_MS = 600_000;
/** Tokens of an answer: what is longer is a loop, of this model. */
const MOST_TOKENS = 160;

async function draw(url: string, count: number): Promise<void> {
  const kept: DrawnAnswer[] = drawnAnswers();
  const model = sdkChat('openai', { url, apiKey: 'none', model: 'smollm2-135m', timeoutMs: PATIENCE_MS });
  for (let at = kept.length; at < count; at++) {
    const question = questionAt(at);
    if (question.form === 'prose') {
      const answer = await model.answer(proseQuestion(question), AbortSignal.timeout(PATIENCE_MS));
      console.log(`${at + 1}: ${question.person} ${question.attack ?? '-'} ${JSON.stringify(answer.text)}`);
      keep(kept, { ...question, answer });
      continue;
    }
    const drawn: DrawnAnswer[] = [];
    const writer = modelWriter({
      name: model.name,
      answer: async (asked, signal) => {
        if (drawn.length > 0) throw new CallError('refused', 'one answer each is drawn');
        const answer = await model.answer({ ...asked, maxTokens: MOST_TOKENS }, signal);
        drawn.push({ ...question, answer });
        return answer;
      },
    });
    const result = await writer.craft(drawnOrder(question), NEVER).catch((error: unknown) => ({ kind: String(error) }));
    const [first] = drawn;
    console.log(`${at + 1}: ${question.person} ${question.attack ?? '-'} ${result.kind} ${first?.answer.text.length}`);
    // Nothing came; the place is tried anew by the next call.
    if (!first) return;
    keep(kept, first);
  }
}

function keep(kept: DrawnAnswer[], drawn: DrawnAnswer): void {
  kept.push(drawn);
  writeFileSync(DRAWN_FILE, `${JSON.stringify(kept, null, 2)}\n`);
}

/** Asks for a message without any form: a model of this size mostly repeats a question that has one, and invents freely without. */
function proseQuestion(question: Omit<DrawnAnswer, 'answer'>): ChatQuestion {
  const { facts, addressee, playbook, instructions } = drawnOrder(question);
  const known = facts.map(({ text }) => `- ${text}`).join('\n');
  return {
    system: `You write a short and friendly outreach message for a salesperson. ${playbook}`,
    user: `Write a message of three sentences to ${addressee}. What is known of them:\n${known}\n${instructions}`,
    maxTokens: 90,
  };
}

if (process.argv[1]?.endsWith('eval-writing.ts')) {
  const [url = 'http://127.0.0.1:47811/v1', count = '300'] = process.argv.slice(2);
  await draw(url, Number(count));
}
