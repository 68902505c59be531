import { expect } from 'chai';
import { NEVER } from '../../../pkg/base/clock.ts';
import { type PlaybookFacts, playbookOf } from '../../../pkg/domain/playbook-writer.ts';
import type { AiWriter } from '../../../pkg/providers/ai/ai-writer.ts';
import { chooseWriter } from '../../../pkg/providers/ai/choose-writer.ts';
import { API_KEY, type Bench, startBench } from '../../fixtures/sandbox/harness.ts';

const FACTS: PlaybookFacts = {
  workspaceName: 'Acme',
  website: 'https://acme.example',
  instructions: 'Never mention prices.',
  campaigns: [],
  audience: { titles: [], industries: [], companySizes: [] },
  personas: [],
};

describe('language models, as they answer now', () => {
  let bench: Bench;
  before(async () => {
    bench = await startBench('models');
  });
  after(() => bench.stop());
  afterEach(async () => {
    for (const service of ['openai', 'anthropic']) await bench.control('outside', { service, reply: null });
  });

  const writer = (provider: 'openai' | 'anthropic', model: string): AiWriter =>
    chooseWriter({
      AI_PROVIDER: provider,
      AI_MODEL: model,
      AI_BASE_URL: `${bench.sandbox.url}/outside/${provider}/v1`,
      AI_API_KEY: API_KEY,
    });
  const asked = async (): Promise<number> => (await bench.control<unknown[]>('outside')).length;

  it('a model that thinks before it writes knows another limit, and needs room for its thoughts', async () => {
    const thinking = writer('openai', 'o5-thinking');
    expect(await thinking.classify('Sounds good, call me', 0, NEVER)).to.equal('positive');
    const before = await asked();
    expect(await thinking.classify('Sounds good, call me', 0, NEVER)).to.equal('positive');
    expect((await asked()) - before, 'refused once only').to.equal(1);
  });

  it('a playbook that a model writes does not begin as one of which no model was used', async () => {
    await writer('openai', 'plain').writePlaybook(FACTS);
    const order = JSON.stringify((await bench.control<unknown[]>('outside')).at(-1));
    expect(order)
      .to.contain('Never mention prices.')
      .and.not.match(/no language model|template writer/);
  });

  it('a playbook that a model had no room to finish is not kept: its last rules would be missing', async () => {
    const cut = 'A playbook whose last rule is cut in the mid';
    const body = {
      choices: [{ message: { content: cut }, finish_reason: 'length' }],
      content: [{ type: 'text', text: cut }],
      stop_reason: 'max_tokens',
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      model: 'plain',
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    for (const provider of ['openai', 'anthropic'] as const) {
      await bench.control('outside', { service: provider, reply: { status: 200, body } });
      const { text, byModel, notes } = await writer(provider, 'plain').writePlaybook(FACTS);
      expect([text, byModel], provider).to.deep.equal([playbookOf(FACTS), false]);
      expect(notes[0]).to.match(/^\S+ had no room to finish its text/);
    }
  });
});
