import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect } from 'chai';
import { NEVER } from '../../../pkg/base/clock.ts';
import { CallError } from '../../../pkg/providers/call-error.ts';
import { askOutside, type OutsideAnswer, type OutsideRequest } from '../../../pkg/providers/outside-http.ts';
import { deliverWebhook } from '../../../pkg/providers/webhook/deliver-webhook.ts';

describe('what an answer of a system outside proves', () => {
  let server: Server;
  let url: string;
  const sockets = new Set<Socket>();
  let respond: (response: ServerResponse) => void;

  before(async () => {
    server = createServer((request, response) => {
      request.resume();
      request.on('end', () => respond(response));
    });
    server.on('connection', (socket) => sockets.add(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const deliver = (): Promise<OutsideAnswer> =>
    deliverWebhook({
      url,
      event: 'run.step_done',
      deliveryId: 'd',
      idempotencyKey: 'k',
      body: '{}',
      sentAt: 0,
      secrets: [],
      timeoutMs: 500,
      reach: 'any',
      signal: NEVER,
    });
  const failure = async (asked: Promise<unknown>): Promise<CallError> => {
    const error: unknown = await asked.then(
      () => null,
      (cause: unknown) => cause,
    );
    if (error instanceof CallError) return error;
    throw new Error(`no CallError: ${String(error)}`);
  };
  const ask = (more: Partial<OutsideRequest>): Promise<OutsideAnswer> =>
    askOutside({ method: 'POST', url, body: '{}', timeoutMs: 2_000, harmless: false, reach: 'any', ...more });

  it('a refusal that repeats the key shows none of it, whatever the header is called that carried it', async () => {
    const key = 'an-outside-key-of-tests';
    const basic = Buffer.from(`name:${key}`).toString('base64');
    const carried: Record<string, string>[] = [
      { authorization: `Bearer ${key}` },
      { authorization: `Basic ${basic}` },
      { 'x-api-key': key },
      { 'x-api-token': key },
      { 'X-Client-Secret': key },
    ];
    for (const headers of carried) {
      respond = (response) => response.writeHead(400).end(`no good: ${key}, ${basic}`);
      const { message } = await failure(ask({ headers }));
      expect(message, JSON.stringify(headers)).to.match(/answered 400: no good/);
      expect(message.includes(headers['authorization'] === `Basic ${basic}` ? basic : key)).to.equal(false);
    }
  });

  it('a webhook that was taken is delivered, however much is said with it, and however that ends', async () => {
    const ends: Record<string, (response: ServerResponse) => void> = {
      'a body of megabytes': (response) => response.end('x'.repeat(3 * 1024 * 1024)),
      'a body that breaks off': (response) => response.write('taken', () => response.destroy()),
      'a body that never ends': (response) => response.write('taken'),
      'more than was announced': (response) => response.writeHead(204).end(),
    };
    for (const [what, end] of Object.entries(ends)) {
      respond = (response) => {
        if (what !== 'more than was announced') response.writeHead(200, { 'content-type': 'text/plain' });
        end(response);
      };
      const answer = await deliver();
      expect([200, 204], what).to.include(answer.status);
      expect(answer.text.length, what).to.be.at.most(64 * 1024);
    }
    respond = (response) => response.writeHead(500).write('x', () => response.destroy());
    expect((await failure(deliver())).kind).to.equal('busy');
  });

  it('who asks for patience has done nothing, and is asked again', async () => {
    for (const status of [402, 423, 425, 429, 477, 503]) {
      respond = (response) => response.writeHead(status, { 'retry-after': '7' }).end();
      const { kind, retryAfterMs } = await failure(ask({}));
      expect([kind, retryAfterMs], `${status}`).to.deep.equal(['busy', 7_000]);
    }
    respond = (response) => response.writeHead(408).end();
    expect((await failure(ask({}))).kind, 'it may have read all of it').to.equal('lost');
    expect((await failure(ask({ harmless: true }))).kind).to.equal('busy');
    respond = (response) => response.writeHead(400).end();
    expect((await failure(ask({}))).kind).to.equal('refused');
  });

  it('questions that follow one another share a connection; what must not be done twice has one of its own', async () => {
    respond = (response) => response.end('{}');
    const opened = async (harmless: boolean): Promise<number> => {
      const before = sockets.size;
      for (let call = 0; call < 5; call++) await ask({ harmless });
      return sockets.size - before;
    };
    // The second is opened by who comes in the very turn in which the first becomes free.
    expect(await opened(true)).to.be.at.most(2);
    expect(await opened(false)).to.equal(5);
  });

  it('a key that an answer repeats is in no error', async () => {
    const key = 'sk-very-secret';
    const basic = Buffer.from(`ada:${key}`).toString('base64');
    respond = (response) => response.writeHead(400).end(`who is ${key}, or ${basic}? You sent "Bearer ${key}".`);
    const opening: Record<string, string>[] = [
      { authorization: `Bearer ${key}` },
      { 'x-api-key': key },
      { authorization: `Basic ${basic}` },
    ];
    for (const headers of opening) {
      const { message } = await failure(ask({ headers }));
      expect(message).to.contain('answered 400: who is').and.not.contain(key);
      if (headers['authorization']?.startsWith('Basic')) expect(message).not.to.contain(basic);
    }
  });
});
