import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { API_KEY, type Bench, DAY, HOUR, startBench, until } from '../../fixtures/sandbox/harness.ts';

const account = { externalId: 'acc-1' };

describe('sandbox', () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = await startBench();
  });
  afterEach(() => bench.stop());

  const people = (publicId: string, behaviour: string | object): Promise<unknown> =>
    bench.control('people', { publicId, behaviour });

  async function request(publicId: string, text?: string): Promise<void> {
    const { providerId } = await bench.adapter.lookupProfile(account, { publicId });
    await bench.adapter.perform(account, {
      kind: 'connection_request',
      publicId,
      providerId,
      ...(text ? { text } : {}),
    });
  }

  async function message(publicId: string, text: string): Promise<string> {
    const { providerId } = await bench.adapter.lookupProfile(account, { publicId });
    return (await bench.adapter.perform(account, { kind: 'message', publicId, providerId, text })).chatId ?? '';
  }

  it('never de-duplicates and honours no idempotency key', async () => {
    await people('ada-l', 'connected');
    await people('bob-b', 'ignores');
    const ada = await bench.adapter.lookupProfile(account, { publicId: 'ada-l' });
    const bob = await bench.adapter.lookupProfile(account, { publicId: 'bob-b' });
    for (let time = 0; time < 2; time++) {
      const key = { idempotencyKey: 'same' };
      await bench.adapter.perform(account, { kind: 'profile_view', ...bob }, key);
      await bench.adapter.perform(account, { kind: 'connection_request', ...bob }, key);
      await bench.adapter.perform(account, { kind: 'message', ...ada, text: 'Same' }, key);
    }
    const kinds = (await bench.received()).map((entry) => entry.kind).sort();
    expect(kinds).to.deep.equal(['connection_request', 'message', 'profile_view'].flatMap((kind) => [kind, kind]));
  });

  it('takes nobody for connected whose answer to a request is steered', async () => {
    await bench.control('population', { connectedRate: 1 });
    for (const [publicId, behaviour] of Object.entries({ 'ada-l': 'ignores', 'bob-b': { accepts: false } })) {
      await people(publicId, behaviour);
      expect(await bench.adapter.lookupProfile(account, { publicId })).to.include({ connected: false });
    }
    expect(await bench.adapter.lookupProfile(account, { publicId: 'carl-c' })).to.include({ connected: true });
  });

  it('shows a request that is repeated after its acceptance', async () => {
    await people('bob-b', { accepts: true, acceptAfterMs: HOUR });
    await request('bob-b');
    await bench.clock.advance(DAY);
    await request('bob-b');
    expect(await bench.received()).to.have.length(2);
  });

  it('keeps its ledger, people, chats and faults over a restart', async () => {
    await people('ada-l', { connected: true, reply: 'positive', replyAfterMs: HOUR, replyToMessage: 1 });
    const chatId = await message('ada-l', 'Hello');
    await bench.control('faults', [{ action: 'message', kind: 'error', rate: 0.5 }]);
    const before = await bench.received();
    await bench.restart();
    expect(await bench.received()).to.deep.equal(before);
    expect(await bench.control('faults')).to.deep.equal([{ action: 'message', kind: 'error', rate: 0.5 }]);
    await bench.clock.advance(HOUR);
    const messages = await bench.adapter.listMessages(account, chatId, {});
    expect(messages.items.map((item) => item.direction)).to.deep.equal(['in', 'out']);
  });

  it('tells what it received since a number', async () => {
    await people('ada-l', 'connected');
    await message('ada-l', 'One');
    await message('ada-l', 'Two');
    const [first, second] = await bench.received();
    expect(await bench.control(`received?sinceSeq=${first?.seq}`)).to.deep.equal([second]);
    expect(second).to.include({
      accountId: 'acc-1',
      kind: 'message',
      target: 'https://www.linkedin.com/in/ada-l',
      text: 'Two',
    });
    expect(second?.at).to.equal(new Date(bench.clock.now()).toISOString());
  });

  it('people act at their own moment of product time, also when the clock jumps', async () => {
    await people('bob-b', { accepts: true, acceptAfterMs: 5 * HOUR });
    const start = bench.clock.now();
    await request('bob-b');
    expect(await bench.control('next')).to.deep.equal({ dueAt: start + 5 * HOUR });
    await bench.clock.advance(30 * DAY);
    const relations = await bench.adapter.listRelations(account, {});
    expect(relations.items.map((item) => item.connectedAt)).to.deep.equal([start + 5 * HOUR]);
    expect(await bench.control('next')).to.deep.equal({ dueAt: null });
  });

  it('a withdrawn request is never accepted', async () => {
    await people('bob-b', { accepts: true, acceptAfterMs: DAY });
    await request('bob-b');
    const [pending] = (await bench.adapter.listSentInvitations(account, {})).items;
    const withdraw = {
      kind: 'withdraw_request',
      publicId: 'bob-b',
      providerId: '',
      invitationId: pending?.invitationId ?? '',
    } as const;
    await bench.adapter.perform(account, withdraw);
    await bench.clock.advance(2 * DAY);
    expect((await bench.adapter.listRelations(account, {})).items).to.deep.equal([]);
  });

  it('an accepted request with a note opens a chat at once, one without does not', async () => {
    for (const publicId of ['bob-b', 'carl-c']) await people(publicId, { accepts: true, acceptAfterMs: HOUR });
    await request('bob-b', 'Hi Bob');
    await request('carl-c');
    await bench.clock.advance(HOUR);
    const chats = (await bench.adapter.listChats(account, {})).items;
    expect(chats).to.have.length(1);
    const messages = await bench.adapter.listMessages(account, chats[0]?.chatId ?? '', {});
    expect(messages.items.map((item) => [item.direction, item.text])).to.deep.equal([['out', 'Hi Bob']]);
  });

  it('a person answers the message that they answer, once', async () => {
    await people('ada-l', { connected: true, reply: 'stop', replyToMessage: 2, replyAfterMs: HOUR });
    const chatId = await message('ada-l', 'One');
    await bench.clock.advance(DAY);
    const inbound = async (): Promise<number> =>
      (await bench.adapter.listMessages(account, chatId, {})).items.filter((item) => item.direction === 'in').length;
    expect(await inbound()).to.equal(0);
    await message('ada-l', 'Two');
    await bench.clock.advance(DAY);
    expect(await inbound()).to.equal(1);
    await message('ada-l', 'Three');
    await bench.clock.advance(DAY);
    expect(await inbound()).to.equal(1);
  });

  it('an acceptance and a message can be forced now', async () => {
    await people('bob-b', 'ignores');
    expect(await bench.control('accept', { accountId: 'acc-1', publicId: 'bob-b' })).to.deep.equal({ accepted: false });
    await request('bob-b');
    expect(await bench.control('accept', { accountId: 'acc-1', publicId: 'bob-b' })).to.deep.equal({ accepted: true });
    expect(await bench.adapter.lookupProfile(account, { publicId: 'bob-b' })).to.include({ connected: true });
    await bench.control('inbound', {
      accountId: 'acc-1',
      publicId: 'https://linkedin.com/in/Bob-B/',
      text: 'Please stop',
    });
    const [chat] = (await bench.adapter.listChats(account, {})).items;
    expect(chat).to.include({ unread: 1 });
  });

  for (const who of ['connected from the beginning', 'who accepted a request'])
    it(`a person ${who} can remove the connection, and accept a request again`, async () => {
      const fromBeginning = who.startsWith('connected');
      await people('bob-b', { connected: fromBeginning, reply: 'none', skills: 1, accepts: true, acceptAfterMs: HOUR });
      if (!fromBeginning) await request('bob-b', 'Hi');
      await bench.clock.advance(HOUR);
      const person = await bench.adapter.lookupProfile(account, { publicId: 'bob-b' });
      const chatId = await message('bob-b', 'One');
      const [skill] = (await bench.adapter.listSkills(account, person.providerId)).skills;
      const remove = (): Promise<unknown> => bench.control('disconnect', { accountId: 'acc-1', publicId: 'bob-b' });
      expect(await remove()).to.deep.equal({ removed: true });
      expect(await remove()).to.deep.equal({ removed: false });
      expect(await bench.adapter.lookupProfile(account, { publicId: 'bob-b' })).to.include({ connected: false });
      expect((await bench.adapter.listRelations(account, {})).items).to.deep.equal([]);
      const actions = [
        { kind: 'message', text: 'Two' },
        { kind: 'message', text: 'Two', chatId },
        { kind: 'endorse', skillIds: [skill?.skillId ?? 0] },
      ] as const;
      for (const action of actions) {
        const error = await bench.adapter.perform(account, { ...person, ...action }).catch((cause: unknown) => cause);
        expect(error).to.include({ kind: 'not_connected' });
      }
      await request('bob-b', 'Again');
      await bench.clock.advance(HOUR);
      expect(await bench.adapter.lookupProfile(account, { publicId: 'bob-b' })).to.include({ connected: true });
      await message('bob-b', 'Two');
      expect((await bench.received()).filter(({ kind }) => kind === 'message')).to.have.length(2);
    });

  it('one person has another provider id for each account', async () => {
    const one = await bench.adapter.lookupProfile(account, { publicId: 'ada-l' });
    const other = await bench.adapter.lookupProfile({ externalId: 'acc-2' }, { publicId: 'ada-l' });
    expect(one.providerId).to.not.equal(other.providerId);
    expect(await bench.adapter.lookupProfile(account, { publicId: 'ada-l' })).to.deep.equal(one);
  });

  it('refuses what it does not understand without doing anything', async () => {
    const bad: [string, object][] = [
      ['faults', [{ action: 'message', kind: 'explode', rate: 1 }]],
      ['faults', [{ action: 'message', kind: 'error', rate: 2 }]],
      ['people', { publicId: 'x', behaviour: 'weird' }],
      ['inbound', { accountId: 'acc-1', publicId: 'ada-l' }],
      ['population', { acceptRate: 7 }],
      ['nothing', {}],
    ];
    for (const [path, body] of bad) {
      const error = await bench.control(path, body).catch((cause: Error) => cause.message);
      expect(error, path).to.match(/errors\/(invalid_parameters|resource_not_found)/);
    }
    expect(await bench.control('faults')).to.deep.equal([]);
  });

  it('reads no body before the key is known to be valid, and no large one at all', async () => {
    const post = (key: string, body: string): Promise<Response> =>
      fetch(`${bench.sandbox.url}/api/v1/users/invite`, { method: 'POST', headers: { 'x-api-key': key }, body });
    expect((await post('wrong', '{')).status).to.equal(401);
    expect((await post(API_KEY, '{')).status).to.equal(400);
    expect((await post(API_KEY, '"'.padEnd(2_000_000, 'x'))).status).to.equal(413);
  });

  describe('webhooks', () => {
    let server: Server;
    let bodies: { event: string; headers: string | undefined; body: Record<string, unknown> }[];

    beforeEach(async () => {
      bodies = [];
      server = createServer((incoming, response) => {
        let text = '';
        incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
        incoming.on('end', () => {
          const body = JSON.parse(text) as Record<string, unknown>;
          bodies.push({
            event: String(body.event),
            headers: incoming.headers['x-secret'] as string | undefined,
            body,
          });
          response.end('{}');
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const request_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
      for (const source of ['users', 'messaging'])
        await api('webhooks', { source, request_url, headers: [{ key: 'x-secret', value: 's3' }] });
    });
    afterEach(() => server.close());

    async function api(path: string, body: object): Promise<Response> {
      const headers = { 'x-api-key': API_KEY, 'content-type': 'application/json' };
      return fetch(`${bench.sandbox.url}/api/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    }

    it('an acceptance is told late, a message soon, both with the headers set at creation', async () => {
      await people('bob-b', { accepts: true, acceptAfterMs: HOUR, noticeAfterMs: 8 * HOUR, reply: 'none' });
      await request('bob-b');
      await bench.clock.advance(HOUR);
      expect(await bench.adapter.lookupProfile(account, { publicId: 'bob-b' })).to.include({ connected: true });
      await bench.control('inbound', { accountId: 'acc-1', publicId: 'bob-b', text: 'Hello' });
      await bench.clock.advance(HOUR);
      await until(async () => bodies.length === 1);
      expect(bodies[0]).to.include({ event: 'message_received', headers: 's3' });
      expect(bodies[0]?.body).to.include({ account_id: 'acc-1', message: 'Hello' });
      await bench.clock.advance(7 * HOUR);
      await until(async () => bodies.length === 2);
      expect(bodies[1]?.body).to.include({ event: 'new_relation', user_public_identifier: 'bob-b' });
    });

    it('calls no address outside this machine but the hosts that it was told of', async () => {
      const answer = await api('webhooks', { source: 'users', request_url: 'http://example.com/x' });
      expect(answer.status).to.equal(400);
      const told = await api('webhooks', { source: 'users', request_url: 'http://ingress.test/x' });
      expect(told.status).to.equal(201);
    });
  });
});
