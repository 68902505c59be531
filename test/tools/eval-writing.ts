import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { NEVER } from '../../pkg/base/clock.ts';
import type { CraftOrder } from '../../pkg/domain/craft/craft-order.ts';
import type { ChatAnswer } from '../../pkg/providers/ai/chat-model.ts';
import { modelWriter } from '../../pkg/providers/ai/model-writer.ts';
import { sdkChat } from '../../pkg/providers/ai/sdk-chat.ts';
import { CallError } from '../../pkg/providers/call-error.ts';
import { ATTACKS } from '../fixtures/writing/attacks.ts';
import { PEOPLE } from '../fixtures/writing/closed-world.ts';
import { orderFor } from '../fixtures/writing/order.ts';

/**
 * Draws answers of a real language model behind the real writer, and keeps them with the tests: `node test/tools/eval-writing.ts URL
 * COUNT`. Every second person has an order hidden in the headline, and is offered with it on purpose: what leaves out such facts is not
 * what is measured here. Drawn answers are added to those that are kept; it can be stopped at any time.
 */
const KEPT = new URL('../fixtures/writing/drawn-answers.json', import.meta.url);
/** Real ms for one answer: the model runs on the processor, beside other work. */
const PATIENCE_MS = 600_000;

interface DrawnAnswer {
  person: string;
  /** Index of the attack in its headline; null: none. */
  attack: number | null;
  /** What the model answered, as it came. */
  answers: ChatAnswer[];
}

/** The order of a drawn answer. The attack is offered as it stands: the checker alone is asked. */
function drawnOrder({ person, attack }: Pick<DrawnAnswer, 'person' | 'attack'>): CraftOrder {
  const order = orderFor(person, { maxLength: 600 });
  if (attack === null) return order;
  const hidden = ATTACKS[attack]?.hidden ?? '';
  return { ...order, facts: [...order.facts, { id: 'f9', source: 'lead:headline', text: hidden, at: null }] };
}

async function draw(url: string, count: number): Promise<void> {
  const kept: DrawnAnswer[] = existsSync(KEPT) ? (JSON.parse(readFileSync(KEPT, 'utf8')) as DrawnAnswer[]) : [];
  const model = sdkChat('openai', { url, apiKey: 'none', model: 'smollm2-135m', timeoutMs: PATIENCE_MS });
  const people = Object.keys(PEOPLE);
  for (let at = kept.length; at < count; at++) {
    const drawn: DrawnAnswer = {
      person: people[at % people.length] ?? 'ada',
      attack: at % 2 === 0 ? null : (at * 7) % ATTACKS.length,
      answers: [],
    };
    const writer = modelWriter({
      name: model.name,
      answer: async (question, signal) => {
        if (drawn.answers.length > 0) throw new CallError('refused', 'one answer each is drawn');
        const answer = await model.answer({ ...question, maxTokens: 90 }, signal);
        drawn.answers.push(answer);
        return answer;
      },
    });
    const result = await writer.craft(drawnOrder(drawn), NEVER).catch((error: unknown) => ({ kind: String(error) }));
    console.log(
      `${at + 1}: ${drawn.person} ${drawn.attack ?? '-'} ${result.kind} ${JSON.stringify(drawn.answers[0]?.text.slice(0, 200))}`,
    );
    if (drawn.answers.length === 0) continue;
    kept.push(drawn);
    writeFileSync(KEPT, `${JSON.stringify(kept, null, 1)}\n`);
  }
}

if (process.argv[1]?.endsWith('eval-writing.ts')) {
  const [url = 'http://127.0.0.1:47811/v1', count = '300'] = process.argv.slice(2);
  await draw(url, Number(count));
}
