import { createServer, type Server } from 'node:net';
import { expect } from 'chai';
import { monotonicMs } from '../../../pkg/base/clock.ts';
import {
  type NetworkAction,
  type PerformOptions,
  ProviderError,
} from '../../../pkg/providers/network/network-provider.ts';
import { UnipileAdapter } from '../../../pkg/providers/network/unipile-adapter.ts';
import { API_KEY, type Bench, HOUR, startBench, until } from '../../fixtures/sandbox/harness.ts';

const account = { externalId: 'acc-1' };

describe('network adapter', () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = await startBench('adapter', 400);
  });
  afterEach(() => bench.stop());

  async function action(
    kind: NetworkAction['kind'],
    publicId: string,
    more: Partial<NetworkAction> = {},
  ): Promise<NetworkAction> {
    const { providerId } = await bench.adapter.lookupProfile(account, { publicId });
    return { kind, publicId, providerId, ...more };
  }

  async function kindOf(performed: Promise<unknown>): Promise<string> {
    const error = await performed.then(
      () => null,
      (cause: unknown) => cause,
    );
    if (error instanceof ProviderError) return error.kind;
    throw new Error(`no ProviderError: ${String(error)}`);
  }

  const perform = (what: NetworkAction, options?: PerformOptions): Promise<unknown> =>
    bench.adapter.perform(account, what, options);
  const people = (publicId: string, behaviour: string | object): Promise<unknown> =>
    bench.control('people', { publicId, behaviour });

  it('registering a webhook again takes the place of the one before, also of half of one; those of others stay', async () => {
    const to = (path: string): string => `http://127.0.0.1:9/${path}`;
    const other = { externalId: 'acc-2' };
    await bench.adapter.registerWebhook(other, to('hooks/of-another-account'));
    await bench.adapter.registerWebhook(account, to('elsewhere/hooks/of-another-installation'));
    const headers = { 'x-api-key': API_KEY, 'content-type': 'application/json' };
    const half = { source: 'users', name: 'outrider', request_url: to('hooks/half'), account_ids: ['acc-1'] };
    await fetch(`${bench.sandbox.url}/api/v1/webhooks`, { method: 'POST', headers, body: JSON.stringify(half) });
    await bench.adapter.registerWebhook(account, to('hooks/first'));
    await bench.adapter.registerWebhook(account, to('hooks/second'));
    const listed = await (await fetch(`${bench.sandbox.url}/api/v1/webhooks`, { headers })).json();
    const urls = (listed as { items: { request_url: string }[] }).items.map((hook) => hook.request_url);
    const expected = ['elsewhere/hooks/of-another-installation', 'hooks/of-another-account', 'hooks/second'];
    expect(urls.toSorted()).to.deep.equal(expected.flatMap((path) => [to(path), to(path)]));
  });

  it('a look-up of a profile is no visit', async () => {
    await action('profile_view', 'ada-l');
    expect(await bench.received()).to.deep.equal([]);
  });

  it('performs each kind once, as the ledger of the sandbox shows', async () => {
    await people('ada-l', 'connected');
    await people('bob-b', 'ignores');
    await perform(await action('profile_view', 'bob-b'));
    const asked = await bench.adapter.perform(account, await action('connection_request', 'bob-b', { text: 'Hi Bob' }));
    await perform(await action('withdraw_request', 'bob-b', { invitationId: asked.ref ?? '' }));
    const first = await bench.adapter.perform(account, await action('message', 'ada-l', { text: 'Hi Ada' }));
    await perform(await action('message', 'ada-l', { text: 'Again', chatId: first.chatId ?? '' }), {
      idempotencyKey: 'send-5',
    });
    await perform(await action('inmail', 'carl-c', { text: 'Hi Carl' }));
    const received = await bench.received();
    expect(received.map(({ kind, target, text }) => [kind, target.split('/').at(-1), text])).to.deep.equal([
      ['profile_view', 'bob-b', null],
      ['connection_request', 'bob-b', 'Hi Bob'],
      ['withdraw_request', 'bob-b', null],
      ['message', 'ada-l', 'Hi Ada'],
      ['message', 'ada-l', 'Again'],
      ['inmail', 'carl-c', 'Hi Carl'],
    ]);
    expect(received.map((entry) => entry.idempotencyKey)).to.deep.equal([null, null, null, null, 'send-5', null]);
    const { items: chats } = await bench.adapter.listChats(account, {});
    expect(chats.map((chat) => [chat.chatId === first.chatId, chat.inMail]).toSorted()).to.deep.equal([
      [false, true],
      [true, false],
    ]);
  });

  it('reacts to a post, comments on it and endorses skills, as the ledger of the sandbox shows', async () => {
    await people('ada-l', { connected: true, posts: 2, postAgeDays: 3, skills: 3 });
    const ada = await action('like', 'ada-l');
    const [newest, older] = await bench.adapter.listPosts(account, ada.providerId);
    expect(newest?.postedAt).to.equal(bench.clock.now() - 3 * 24 * HOUR);
    expect(older?.postedAt).to.be.below(newest?.postedAt ?? 0);
    const postId = newest?.postId ?? '';
    await perform({ ...ada, postId, reaction: 'insightful' });
    await perform({ ...ada, kind: 'comment', postId, text: 'Well said' });
    const { connected, skills } = await bench.adapter.listSkills(account, ada.providerId);
    expect([connected, skills.map((skill) => skill.endorsed)]).to.deep.equal([true, [false, false, false]]);
    const ids = skills.flatMap((skill) => (skill.skillId === null ? [] : [skill.skillId]));
    const endorsed = await bench.adapter.perform(account, { ...ada, kind: 'endorse', skillIds: ids.slice(0, 2) });
    expect(endorsed.ref).to.equal(ids.slice(0, 2).join(','));
    const after = await bench.adapter.listSkills(account, ada.providerId);
    expect(after.skills.map((skill) => skill.endorsed)).to.deep.equal([true, true, false]);
    expect((await bench.received()).map(({ kind, text }) => [kind, text])).to.deep.equal([
      ['like', 'insightful'],
      ['comment', 'Well said'],
      ['endorse', String(ids[0])],
      ['endorse', String(ids[1])],
    ]);
  });

  it('a skill that fails after the first is left out; alone it is the failure', async () => {
    await people('ada-l', { connected: true, skills: 1 });
    const ada = await action('endorse', 'ada-l');
    const { skills } = await bench.adapter.listSkills(account, ada.providerId);
    const known = skills[0]?.skillId ?? 0;
    expect((await bench.adapter.perform(account, { ...ada, skillIds: [known, 1] })).ref).to.equal(String(known));
    expect(await kindOf(perform({ ...ada, skillIds: [1] }))).to.equal('rejected');
    await people('bob-b', { skills: 1 });
    expect(await kindOf(perform({ ...(await action('endorse', 'bob-b')), skillIds: [1] }))).to.equal('not_connected');
  });

  it('an InMail without a credit left is refused, to an open profile it costs none', async () => {
    await bench.control('accounts', { accountId: 'acc-1', inmailCredits: 1 });
    await people('ada-l', { openProfile: true });
    await people('bob-b', { openProfile: false });
    const open = await bench.adapter.lookupProfile(account, { publicId: 'ada-l' });
    expect(open.openProfile).to.equal(true);
    await perform(await action('inmail', 'ada-l', { text: 'Hi', subject: 'One' }));
    await perform(await action('inmail', 'bob-b', { text: 'Hi', subject: 'Two' }));
    expect(await kindOf(perform(await action('inmail', 'bob-b', { text: 'Again' })))).to.equal('no_credits');
    expect(await bench.received()).to.have.length(2);
  });

  it('names what the network refuses', async () => {
    await people('ada-l', 'connected');
    await people('bob-b', 'invited');
    await people('carl-c', 'ignores');
    expect(await kindOf(perform(await action('connection_request', 'ada-l')))).to.equal('already_connected');
    expect(await kindOf(perform(await action('connection_request', 'bob-b')))).to.equal('already_pending');
    expect(await kindOf(perform(await action('message', 'carl-c', { text: 'x' })))).to.equal('not_connected');
    expect(await kindOf(perform(await action('withdraw_request', 'carl-c', { invitationId: 'none' })))).to.equal(
      'not_pending',
    );
    expect(await kindOf(perform(await action('follow', 'carl-c')))).to.equal('unsupported');
    await people('nobody', 'missing');
    expect(await kindOf(bench.adapter.lookupProfile(account, { publicId: 'nobody' }))).to.equal('rejected');
    expect(await bench.received()).to.deep.equal([]);
  });

  it('tells the state of a relation', async () => {
    await people('ada-l', 'connected');
    await people('bob-b', 'ignores');
    expect(await bench.adapter.lookupProfile(account, { publicId: 'ada-l' })).to.include({
      connected: true,
      pending: false,
    });
    const bob = await action('connection_request', 'bob-b');
    expect(await bench.adapter.lookupProfile(account, { publicId: 'bob-b' })).to.include({
      connected: false,
      pending: false,
    });
    await perform(bob);
    expect(await bench.adapter.lookupProfile(account, { providerId: bob.providerId })).to.include({
      connected: false,
      pending: true,
    });
  });

  it('an ended session of the account is told and proves that nothing was done', async () => {
    const ask = await action('connection_request', 'ada-l');
    await bench.control('accounts', { accountId: 'acc-1', status: 'CREDENTIALS' });
    expect(await bench.adapter.getAccount(account)).to.deep.equal({ status: 'credentials_expired' });
    expect(await kindOf(perform(ask))).to.equal('unavailable_before_send');
  });

  it('a registration of webhooks that fails half way, or whose answer is lost, leaves none at the provider', async () => {
    const webhooks = (): Promise<unknown[]> => listWebhooks(bench.sandbox.url);
    const url = (place: string): string => `http://127.0.0.1:9/${place}/secret`;
    for (let pair = 0; pair < 49; pair++) await bench.adapter.registerWebhook(account, url(`known-${pair}`));
    await bench.control('faults', [{ action: 'webhook', kind: 'lost_answer', rate: 1 }]);
    expect(await kindOf(bench.adapter.registerWebhook(account, url('lost')))).to.equal('unavailable_before_send');
    expect(await webhooks()).to.have.length(98);
    await bench.control('faults', []);
    await fetch(`${bench.sandbox.url}/api/v1/webhooks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': API_KEY },
      body: JSON.stringify({ source: 'users', request_url: url('of-another') }),
    });
    expect(await kindOf(bench.adapter.registerWebhook(account, url('half')))).to.equal('limit');
    expect(await webhooks()).to.have.length(99);
  });

  describe('an outcome is unknown unless it is proven', () => {
    const faulty = async (fault: object): Promise<NetworkAction> => {
      await people('bob-b', 'ignores');
      const ask = await action('connection_request', 'bob-b', { text: 'Hi' });
      await bench.control('faults', [{ action: 'connection_request', rate: 1, ...fault }]);
      return ask;
    };

    it('an answer lost after the action is unknown and is found by the look-up', async () => {
      const ask = await faulty({ kind: 'lost_answer' });
      const before = bench.clock.now();
      expect(await kindOf(perform(ask))).to.equal('unknown_outcome');
      expect(await bench.received()).to.have.length(1);
      expect(await bench.adapter.lookupOutcome(account, ask, before)).to.include({ found: true });
    });

    it('no answer at all is unknown and is not found', async () => {
      const ask = await faulty({ kind: 'timeout' });
      expect(await kindOf(perform(ask))).to.equal('unknown_outcome');
      expect(await bench.received()).to.deep.equal([]);
      expect(await bench.adapter.lookupOutcome(account, ask, bench.clock.now())).to.deep.equal({ found: false });
    });

    it('a server error after the request was written is unknown', async () => {
      expect(await kindOf(perform(await faulty({ kind: 'error' })))).to.equal('unknown_outcome');
      expect(await bench.received()).to.deep.equal([]);
    });

    it('an answer slower than the time limit is unknown', async () => {
      expect(await kindOf(perform(await faulty({ kind: 'slow', ms: 60_000 })))).to.equal('unknown_outcome');
      expect(await bench.received()).to.have.length(1);
    });

    it('a rate limit proves that nothing was done and says for how long', async () => {
      const ask = await faulty({ kind: 'rate_limit', ms: 90_000 });
      const error = await perform(ask).catch((cause: unknown) => cause);
      expect(error).to.include({ kind: 'rate_limited', retryAfterMs: 90_000 });
      expect(await bench.received()).to.deep.equal([]);
    });

    it('a late action is done after the caller has gone, and lists lag behind it', async () => {
      const ask = await faulty({ kind: 'late', ms: 400 });
      const before = bench.clock.now();
      expect(await kindOf(perform(ask))).to.equal('unknown_outcome');
      await until(async () => (await bench.received()).length === 1);
      await bench.real.advance(399);
      expect(await bench.adapter.lookupOutcome(account, ask, before)).to.deep.equal({ found: false });
      await bench.real.advance(1);
      expect(await bench.adapter.lookupOutcome(account, ask, before)).to.include({ found: true });
      expect(await bench.received()).to.have.length(1);
    });

    it('a refused connection proves that nothing was done', async () => {
      const port = await closedPort();
      const adapter = new UnipileAdapter({
        url: `http://127.0.0.1:${port}`,
        apiKey: API_KEY,
        timeoutMs: 400,
        settleAfterMs: 0,
      });
      const ask: NetworkAction = { kind: 'connection_request', providerId: 'ACo1', publicId: 'x' };
      expect(await kindOf(adapter.perform(account, ask))).to.equal('unavailable_before_send');
      await adapter.close();
    });

    it('a connection that breaks after the request was written is unknown, and the request is never repeated', async () => {
      let requests = 0;
      const server = createServer((socket) => {
        socket.once('data', () => {
          requests++;
          socket.destroy();
        });
        socket.on('error', () => undefined);
      });
      const adapter = new UnipileAdapter({
        url: await listen(server),
        apiKey: API_KEY,
        timeoutMs: 400,
        settleAfterMs: 0,
      });
      for (const kind of ['profile_view', 'connection_request', 'message'] as const) {
        expect(await kindOf(adapter.perform(account, { kind, providerId: 'ACo1', publicId: 'x', text: 'x' }))).to.equal(
          'unknown_outcome',
        );
      }
      expect(requests).to.equal(3);
      await adapter.close();
      server.close();
    });

    it('a refusal that is not the network’s own (of a proxy before it) says nothing of the person, and proves nothing of what must not be done twice', async () => {
      let status = '404 Not Found';
      const html = '<html>404 page not found</html>';
      const server = createServer((socket) => {
        socket.on('data', () =>
          socket.end(`HTTP/1.1 ${status}\r\ncontent-type: text/html\r\ncontent-length: ${html.length}\r\n\r\n${html}`),
        );
        socket.on('error', () => undefined);
      });
      const url = await listen(server);
      const adapter = new UnipileAdapter({ url, apiKey: API_KEY, timeoutMs: 2_000, settleAfterMs: 0 });
      const person = { providerId: 'ACo1', publicId: 'x', text: 'x', invitationId: 'i', postId: 'p' };
      for (status of ['404 Not Found', '403 Forbidden', '407 Proxy Authentication Required']) {
        for (const kind of ['connection_request', 'message', 'inmail', 'comment', 'withdraw_request'] as const) {
          expect(await kindOf(adapter.perform(account, { kind, ...person })), status).to.equal('unknown_outcome');
        }
        const visit: NetworkAction = { kind: 'profile_view', ...person };
        expect(await kindOf(adapter.perform(account, visit)), status).to.equal('unavailable_before_send');
        expect(await kindOf(adapter.lookupProfile(account, { publicId: 'x' }))).to.equal('unavailable_before_send');
        expect(await kindOf(adapter.readProfile(account, 'x'))).to.equal('unavailable_before_send');
      }
      await adapter.close();
      server.close();
    });

    it('nobody waits longer than a day for the next try, whatever the network names', async () => {
      let wait = '';
      const server = createServer((socket) => {
        socket.on('data', () =>
          socket.end(`HTTP/1.1 429 Too Many Requests\r\nretry-after: ${wait}\r\ncontent-length: 0\r\n\r\n`),
        );
        socket.on('error', () => undefined);
      });
      const adapter = new UnipileAdapter({
        url: await listen(server),
        apiKey: API_KEY,
        timeoutMs: 2_000,
        settleAfterMs: 0,
      });
      const ask: NetworkAction = { kind: 'connection_request', providerId: 'ACo1', publicId: 'x' };
      for (const [named, ms] of [
        ['60', 60_000],
        ['99999999999', 24 * HOUR],
        ['Infinity', 24 * HOUR],
        ['soon', undefined],
      ] as const) {
        wait = named;
        const error: unknown = await adapter.perform(account, ask).catch((cause: unknown) => cause);
        expect(error).to.be.instanceOf(ProviderError).and.to.include({ kind: 'rate_limited' });
        expect((error as ProviderError).retryAfterMs, named).to.equal(ms);
      }
      await adapter.close();
      server.close();
    });

    it('a request past its write deadline is abandoned as unknown and never written', async () => {
      await people('bob-b', 'ignores');
      const ask = await action('connection_request', 'bob-b');
      expect(await kindOf(perform(ask, { deadlineMonotonicMs: monotonicMs() - 1 }))).to.equal('unknown_outcome');
      expect(await bench.received()).to.deep.equal([]);
    });
  });

  describe('look-ups after an unknown outcome', () => {
    it('find an own message by text and time, in a chat or by the person', async () => {
      await people('ada-l', 'connected');
      const message = await action('message', 'ada-l', { text: 'Hello  Ada' });
      const before = bench.clock.now();
      expect(await bench.adapter.lookupOutcome(account, message, before)).to.deep.equal({ found: false });
      const done = await bench.adapter.perform(account, message);
      expect(await bench.adapter.lookupOutcome(account, message, before)).to.deep.equal({
        found: true,
        ref: done.ref,
        at: before,
      });
      const inChat = { ...message, chatId: done.chatId ?? '' };
      expect(await bench.adapter.lookupOutcome(account, inChat, before)).to.include({ found: true, ref: done.ref });
      // An executor that was killed meanwhile had kept only who was meant.
      const meant = { ...message, providerId: '' };
      expect(await bench.adapter.lookupOutcome(account, meant, before)).to.include({ found: true, ref: done.ref });
      const nobody = bench.adapter.lookupOutcome(account, { ...meant, publicId: '' }, before);
      expect(await kindOf(nobody), 'no proof that nothing arrived').to.equal('unavailable_before_send');
      const known = { otherRefs: [done.ref ?? ''] };
      expect(await bench.adapter.lookupOutcome(account, inChat, before, known), 'of another send').to.deep.equal({
        found: false,
      });
      expect(await bench.adapter.lookupOutcome(account, { ...inChat, text: 'Other' }, before)).to.deep.equal({
        found: false,
      });
      await bench.clock.advance(1_000);
      expect(await bench.adapter.lookupOutcome(account, inChat, bench.clock.now())).to.deep.equal({ found: false });
    });

    it('find a request that was accepted meanwhile', async () => {
      await people('bob-b', { accepts: true, acceptAfterMs: 0 });
      const ask = await action('connection_request', 'bob-b');
      const before = bench.clock.now();
      await perform(ask);
      await bench.adapter.listChats(account, {});
      expect((await bench.adapter.listSentInvitations(account, {})).items).to.deep.equal([]);
      expect(await bench.adapter.lookupOutcome(account, ask, before)).to.include({ found: true, at: before });
    });

    it('find an own comment by its text below the post', async () => {
      await people('ada-l', { posts: 1, postAgeDays: 1 });
      const ada = await action('comment', 'ada-l', { text: 'Well  said' });
      const postId = (await bench.adapter.listPosts(account, ada.providerId))[0]?.postId ?? '';
      const comment = { ...ada, postId };
      expect(await bench.adapter.lookupOutcome(account, comment, 0)).to.deep.equal({ found: false });
      await bench.control('faults', [{ action: 'comment', kind: 'lost_answer', rate: 1 }]);
      expect(await kindOf(perform(comment))).to.equal('unknown_outcome');
      expect(await bench.adapter.lookupOutcome(account, comment, 0)).to.include({ found: true });
      const other = { externalId: 'acc-2' };
      expect(await bench.adapter.lookupOutcome(other, comment, 0)).to.deep.equal({ found: false });
    });

    it('find a withdrawal by the missing invitation', async () => {
      await people('bob-b', 'ignores');
      const asked = await bench.adapter.perform(account, await action('connection_request', 'bob-b'));
      const withdraw = await action('withdraw_request', 'bob-b', { invitationId: asked.ref ?? '' });
      expect(await bench.adapter.lookupOutcome(account, withdraw, 0)).to.deep.equal({ found: false });
      await perform(withdraw);
      expect(await bench.adapter.lookupOutcome(account, withdraw, 0)).to.include({ found: true });
    });

    it('can not tell a view, a reaction or an endorsement from none', async () => {
      for (const kind of ['profile_view', 'like', 'endorse'] as const) {
        expect(await bench.adapter.lookupOutcome(account, await action(kind, 'ada-l'), 0)).to.deep.equal({
          unsupported: true,
        });
      }
    });
  });
});

async function listWebhooks(sandboxUrl: string): Promise<unknown[]> {
  const response = await fetch(`${sandboxUrl}/api/v1/webhooks?limit=250`, { headers: { 'x-api-key': API_KEY } });
  return ((await response.json()) as { items: unknown[] }).items;
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`);
    });
  });
}

async function closedPort(): Promise<number> {
  const server = createServer();
  const url = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return Number(new URL(url).port);
}
