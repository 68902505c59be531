import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { z } from 'zod';
import { NEVER } from '../../../pkg/base/clock.ts';
import { sdkChat } from '../../../pkg/providers/ai/sdk-chat.ts';
import { VENDORS, type Vendor } from '../../../pkg/providers/ai/vendors.ts';
import { CallError } from '../../../pkg/providers/call-error.ts';

interface Heard {
  path: string;
  headers: Record<string, unknown>;
  body: Record<string, unknown>;
}
type Answer = { status: number; body: object } | 'silence';

const SHAPE = z.object({ class: z.enum(['positive', 'negative']) });
const JSON_TEXT = '{"class":"positive"}';
const KEY = 'a-key-that-nobody-may-read';

/** An answer as each vendor's interface documents it. */
const ANSWERS: Readonly<Record<Vendor, (said: string, cut: boolean) => object>> = {
  openai: (content, cut) => ({
    id: 'c1',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: cut ? 'length' : 'stop' }],
  }),
  mistral: (content, cut) => ({
    id: 'c1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: cut ? 'length' : 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }),
  anthropic: (said, cut) => ({
    id: 'm1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: said }],
    stop_reason: cut ? 'max_tokens' : 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
  gemini: (said, cut) => ({
    candidates: [
      { content: { role: 'model', parts: [{ text: said }] }, finishReason: cut ? 'MAX_TOKENS' : 'STOP', index: 0 },
    ],
  }),
};
const KEY_HEADERS: Readonly<Record<Vendor, string>> = {
  openai: 'authorization',
  mistral: 'authorization',
  anthropic: 'x-api-key',
  gemini: 'x-goog-api-key',
};

describe('language models over the wire formats of their vendors', () => {
  let server: Server;
  let url = '';
  let heard: Heard[] = [];
  let answer: (heard: Heard) => Answer;

  before(async () => {
    server = createServer((request, response) => {
      void text(request).then((body) => {
        const one = { path: request.url ?? '', headers: request.headers, body: JSON.parse(body) as Heard['body'] };
        heard.push(one);
        const said = answer(one);
        if (said === 'silence') return;
        response.writeHead(said.status, { 'content-type': 'application/json' }).end(JSON.stringify(said.body));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    heard = [];
  });

  const chat = (vendor: Vendor, timeoutMs = 10_000) => sdkChat(vendor, { url, apiKey: KEY, model: 'm', timeoutMs });
  const question = { system: 'RULES', user: 'QUESTION', maxTokens: 50 };
  const failure = async (work: Promise<unknown>): Promise<CallError> => {
    const error: unknown = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof CallError)) throw new Error(`no CallError: ${String(error)}`);
    return error;
  };

  for (const vendor of VENDORS) {
    it(`${vendor}: rules and question go apart, with the key and the most tokens; cut answers are known`, async () => {
      answer = () => ({ status: 200, body: ANSWERS[vendor]('Hello', false) });
      expect(await chat(vendor).answer(question, NEVER)).to.include({ text: 'Hello', cut: false });
      const [one] = heard;
      expect(String(one?.headers[KEY_HEADERS[vendor]])).to.contain(KEY);
      const sent = JSON.stringify(one?.body);
      expect(sent)
        .to.contain('RULES')
        .and.contain('QUESTION')
        .and.match(/max_?(?:output)?_?tokens"?:50/i);
      answer = () => ({ status: 200, body: ANSWERS[vendor]('Hel', true) });
      expect((await chat(vendor).answer(question, NEVER)).cut).to.equal(true);
    });

    it(`${vendor}: a refused key, too many requests, a broken answer and silence are told apart; no key is repeated`, async () => {
      answer = () => ({ status: 401, body: { error: { message: `bad key ${KEY}` } } });
      const auth = await failure(chat(vendor).answer(question, NEVER));
      expect([auth.kind, auth.message.includes(KEY)]).to.deep.equal(['auth', false]);
      answer = () => ({ status: 429, body: { error: { message: 'slow down' } } });
      expect(await failure(chat(vendor).answer(question, NEVER))).to.include({ kind: 'busy', tooMany: true });
      answer = () => ({ status: 200, body: { nothing: true } });
      expect((await failure(chat(vendor).answer(question, NEVER))).kind).to.equal('busy');
      answer = () => 'silence';
      expect((await failure(chat(vendor, 200).answer(question, NEVER))).kind).to.equal('busy');
    });
  }

  it('what an endpoint can is learnt once: a schema, else any JSON, else plain text', async () => {
    const knows: readonly (readonly [form: string, refuses: RegExp])[] = [
      ['json_schema', /never/],
      ['json_object', /json_schema/],
      ['plain', /response_format/],
    ];
    for (const [form, refuses] of knows) {
      heard = [];
      answer = ({ body }) =>
        refuses.test(JSON.stringify(body))
          ? { status: 400, body: { error: { message: 'response_format is not supported' } } }
          : { status: 200, body: ANSWERS.openai(JSON_TEXT, false) };
      const model = chat('openai');
      expect((await model.answer({ ...question, shape: SHAPE }, NEVER)).text).to.equal(JSON_TEXT);
      const first = heard.length;
      await model.answer({ ...question, shape: SHAPE }, NEVER);
      expect([model.learnt.form, heard.length - first], form).to.deep.equal([form, 1]);
    }
  });

  it('prose in place of the asked shape comes back as it is: whoever asked judges it', async () => {
    answer = () => ({ status: 200, body: ANSWERS.openai('```json\n{"class": "maybe"}\n```', false) });
    expect((await chat('openai').answer({ ...question, shape: SHAPE }, NEVER)).text).to.contain('maybe');
  });

  it('who gives up ends the request', async () => {
    answer = () => 'silence';
    const gone = new AbortController();
    const asked = chat('openai').answer(question, gone.signal);
    gone.abort(new Error('gone'));
    expect(await asked.catch((error: unknown) => error)).to.be.instanceOf(Error);
  });
});
