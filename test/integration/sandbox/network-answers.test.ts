import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type NetworkAction, ProviderError } from '../../../pkg/providers/network/network-provider.ts';
import { UnipileAdapter } from '../../../pkg/providers/network/unipile-adapter.ts';
import { API_KEY, HOUR, startBench } from '../../fixtures/sandbox/harness.ts';

const account = { externalId: 'acc-1' };
const ACTIONS = ['connection_request', 'message', 'inmail', 'comment', 'profile_view'] as const;

interface Answer {
  status: number;
  body: object | string;
  headers?: Record<string, string>;
}

describe('network adapter: what an answer of the real network proves', () => {
  let server: Server;
  let adapter: UnipileAdapter;
  let answer: Answer;
  /** Answers instead, by what is asked for. */
  let answers: ((url: string) => Answer) | undefined;

  before(async () => {
    server = createServer((request, response) => {
      request.resume();
      request.on('end', () => {
        const { status, body, headers = {} } = answers?.(request.url ?? '') ?? answer;
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(typeof body === 'string' ? body : JSON.stringify(body));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    adapter = new UnipileAdapter({
      url: `http://127.0.0.1:${port}`,
      apiKey: API_KEY,
      timeoutMs: 2_000,
      settleAfterMs: 0,
    });
  });
  after(async () => {
    await adapter.close();
    server.close();
  });

  afterEach(() => {
    answers = undefined;
  });

  const refused = (status: number, type: string, detail = 'as documented'): void => {
    answer = { status, body: { status, type: `errors/${type}`, title: 'Refused', detail, instance: '' } };
  };
  const failure = async (asked: Promise<unknown>): Promise<ProviderError> => {
    const error: unknown = await asked.then(
      () => null,
      (cause: unknown) => cause,
    );
    if (error instanceof ProviderError) return error;
    throw new Error(`no ProviderError: ${String(error)}`);
  };
  const perform = (kind: NetworkAction['kind']): Promise<unknown> =>
    adapter.perform(account, { kind, providerId: 'ACo1', publicId: 'x', text: 'x', postId: 'p' });

  it('a refusal that is about the account says nothing of the person: it is tried again when the account is well', async () => {
    const documented = [
      [401, 'disconnected_account'],
      [401, 'expired_credentials'],
      [401, 'checkpoint_error'],
      [403, 'account_restricted'],
      [403, 'account_mismatch'],
      [403, 'insufficient_permissions'],
      [403, 'session_mismatch'],
      [403, 'unknown_authentication_context'],
      [403, 'action_required'],
      [422, 'unauthorized'],
      [422, 'account_configuration_error'],
      [422, 'realtime_client_not_initialized'],
    ] as const;
    for (const [status, type] of documented) {
      refused(status, type);
      for (const kind of ACTIONS) {
        expect((await failure(perform(kind))).kind, `${type}, ${kind}`).to.equal('unavailable_before_send');
      }
      const looked = await failure(adapter.lookupProfile(account, { publicId: 'x' }));
      expect([looked.kind, looked.retryAfterMs], type).to.deep.equal(['unavailable_before_send', HOUR / 4]);
    }
    refused(403, 'resource_access_restricted');
    expect((await failure(perform('message'))).kind, 'one thing only').to.equal('rejected');
    refused(403, 'subscription_required');
    expect((await failure(perform('inmail'))).kind).to.equal('unsupported');
  });

  it('a 500 that tells of a limit lets the account rest, and proves no more of an effect than any other', async () => {
    const message = { kind: 'message' as const, providerId: 'ACo1', publicId: 'p-1', text: 'Hi' };
    for (const said of ['weekly invitation limit reached', 'Too many requests', 'you exceeded the limit']) {
      refused(500, 'unexpected_error', said);
      const effect = await failure(adapter.perform(account, message));
      expect([effect.kind, effect.rest?.ms], said).to.deep.equal(['unknown_outcome', 5 * HOUR]);
      const read = await failure(adapter.listChats(account, {}));
      expect([read.kind, read.retryAfterMs], said).to.deep.equal(['rate_limited', 5 * HOUR]);
    }
    refused(500, 'unexpected_error', 'the limits of my language');
    expect((await failure(adapter.perform(account, message))).rest).to.equal(undefined);
  });

  it('an account that the network does not know is no person that it does not know', async () => {
    refused(404, 'resource_not_found', 'Account not found');
    expect((await failure(perform('connection_request'))).kind).to.equal('unavailable_before_send');
    expect((await failure(adapter.lookupProfile(account, { publicId: 'x' }))).kind).to.equal('unavailable_before_send');
    expect((await failure(adapter.readProfile(account, 'x'))).kind).to.equal('unavailable_before_send');
    refused(404, 'resource_not_found', 'no such profile');
    expect((await failure(adapter.lookupProfile(account, { publicId: 'x' }))).kind).to.equal('rejected');
    expect(await adapter.readProfile(account, 'x')).to.equal(null);
  });

  it('an account that was removed at the provider is disconnected, and no fault of each round of sync', async () => {
    refused(404, 'resource_not_found', 'Account not found');
    expect(await adapter.getAccount(account)).to.deep.equal({ status: 'disconnected' });
    answer = { status: 404, body: '<html>no such server</html>' };
    expect((await failure(adapter.getAccount(account))).kind, 'of a proxy').to.equal('unavailable_before_send');
  });

  it('a request that never arrived is proven not to have, however many others wait for an answer', async () => {
    const pending = (page: number): object[] =>
      Array.from({ length: 100 }, (_, at) => ({ id: `i${page}-${at}`, invited_user_id: `ACo-${page}-${at}` }));
    let asked = 0;
    answers = (url) => {
      if (!url.includes('/invite/sent')) return { status: 200, body: { items: [], cursor: null } };
      asked++;
      return { status: 200, body: { items: pending(asked), cursor: asked < 20 ? `page ${asked}` : null } };
    };
    const action: NetworkAction = { kind: 'connection_request', providerId: 'ACo1', publicId: 'x' };
    expect(await adapter.lookupOutcome(account, action, 0)).to.deep.equal({ found: false });
    expect(asked).to.equal(20);
    asked = 0;
    const last: NetworkAction = { kind: 'connection_request', providerId: 'ACo-20-99', publicId: 'y' };
    expect(await adapter.lookupOutcome(account, last, 0)).to.include({ found: true, ref: 'i20-99' });
  });

  it('a key that a refusal repeats is in no error', async () => {
    refused(403, 'insufficient_permissions', `the key ${API_KEY} may not do this`);
    const { message } = await failure(perform('message'));
    expect(message).to.contain('may not do this').and.not.contain(API_KEY);
  });

  it('a wait that is named as a date is kept to, by the clock of who names it', async () => {
    const now = Date.UTC(2031, 4, 6, 7, 8, 9);
    const dated = (at: number): string => new Date(at).toUTCString();
    for (const [named, ms] of [
      [dated(now + 90_000), 90_000],
      [dated(now + 72 * HOUR), 24 * HOUR],
      [dated(now - HOUR), undefined],
    ] as const) {
      answer = { status: 429, body: '', headers: { 'retry-after': named, date: dated(now) } };
      const error = await failure(perform('connection_request'));
      expect([error.kind, error.retryAfterMs], named).to.deep.equal(['rate_limited', ms]);
    }
    answer = { status: 429, body: '', headers: { 'retry-after': dated(now), date: 'no date' } };
    expect((await failure(perform('message'))).retryAfterMs, 'by our own clock then').to.equal(24 * HOUR);
  });

  it('null is as good as absent in everything that is read', async () => {
    const nothing = { first_name: null, network_distance: null, is_relationship: null, is_open_profile: null };
    answer = { status: 200, body: { object: 'UserProfile', provider_id: 'ACo1', ...nothing, skills: null } };
    await perform('profile_view');
    expect(await adapter.lookupProfile(account, { publicId: 'x' })).to.include({
      providerId: 'ACo1',
      connected: false,
    });
    const list = (item: object): void => {
      answer = { status: 200, body: { items: [item], cursor: null } };
    };
    list({ id: 'c', attendee_provider_id: null, name: null, timestamp: null, unread_count: null, content_type: null });
    expect((await adapter.listChats(account, {})).items[0]).to.include({ chatId: 'c', unread: 0 });
    list({ social_id: 'p', parsed_datetime: null, is_repost: null, permissions: null });
    expect(await adapter.listPosts(account, 'ACo1')).to.have.length(1);
    answer = { status: 200, body: { id: 'acc-1', sources: null } };
    expect(await adapter.getAccount(account)).to.deep.equal({ status: 'ok' });
  });

  it('a person is the same in whatever case and code the network writes their public id', async () => {
    const odd = 'J%C3%BCrgen-MU\u0308ller-1a';
    const same = 'j\u00fcrgen-m\u00fcller-1a';
    const list = (item: object): void => {
      answer = { status: 200, body: { items: [item], cursor: null } };
    };
    list({ member_id: 'ACo1', public_identifier: odd });
    expect((await adapter.listRelations(account, {})).items[0]?.publicId).to.equal(same);
    list({ id: 'i', invited_user_id: null, invited_user_public_id: odd });
    expect((await adapter.listSentInvitations(account, {})).items[0]?.publicId).to.equal(same);
    const asked: NetworkAction = { kind: 'connection_request', providerId: 'ACo1', publicId: same };
    expect(await adapter.lookupOutcome(account, asked, 0)).to.include({ found: true, ref: 'i' });
    answer = { status: 200, body: { object: 'UserProfile', provider_id: 'ACo1', public_identifier: odd } };
    expect(await adapter.lookupProfile(account, { providerId: 'ACo1' })).to.include({ publicId: same });
    expect(await adapter.readProfile(account, same)).to.include({ publicId: same });
  });

  it('a message is known again however the network writes its characters', async () => {
    const sent = 'Hi Zoe\u0308,\r\n\u201cR&D\u201d \u2013 it\u2019s 10% \u200bbetter\u2026 \u2728\ufe0f\n';
    const shown = [
      'Hi Zo\u00eb,\n\u201cR&D\u201d \u2013 it\u2019s 10% better\u2026 \u2728',
      'Hi Zo\u00eb, "R&amp;D" - it&#39;s 10% better... \u2728',
    ];
    const at = Date.UTC(2026, 0, 5);
    for (const text of [...shown, 'Hi Zo\u00eb, R&D is 11% better']) {
      const item = { id: 'm', chat_id: 'c', text, timestamp: new Date(at).toISOString(), is_sender: 1 };
      answer = { status: 200, body: { items: [item], cursor: null } };
      const action: NetworkAction = { kind: 'message', providerId: 'ACo1', publicId: 'x', chatId: 'c', text: sent };
      expect(await adapter.lookupOutcome(account, action, at), text).to.include({ found: shown.includes(text) });
    }
  });

  it('an InMail is found in the conversation that it opened, though its person was written to in another one since', async () => {
    const sentAt = Date.UTC(2026, 0, 5);
    const chat = (id: string, minutes: number): object => ({
      id,
      attendee_provider_id: 'ACo1',
      timestamp: new Date(sentAt + minutes * 60_000).toISOString(),
    });
    const said = (chatId: string, text: string): object => ({
      id: `m-${chatId}`,
      chat_id: chatId,
      text,
      timestamp: new Date(sentAt).toISOString(),
      is_sender: 1,
    });
    answers = (url) => {
      const chatId = /chats\/([^/]+)\/messages/.exec(url)?.[1];
      const messages = [said(chatId ?? '', chatId === 'inmail' ? 'An idea' : 'Lunch?')];
      const items = chatId ? messages : [chat('by-hand', 5), chat('inmail', 0), chat('long-ago', -9_000)];
      return { status: 200, body: { items, cursor: null } };
    };
    const sent: NetworkAction = { kind: 'inmail', providerId: 'ACo1', publicId: 'x', text: 'An idea' };
    expect(await adapter.lookupOutcome(account, sent, sentAt)).to.include({ found: true, ref: 'm-inmail' });
    const never = await adapter.lookupOutcome(account, { ...sent, text: 'Another idea' }, sentAt);
    expect(never).to.deep.equal({ found: false });
  });

  it('a post with a video has the time that its bytes take; one without has that of an answer', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'outrider-test-'));
    const path = join(folder, '1.mp4');
    await writeFile(path, Buffer.alloc(2 * 1024 * 1024));
    // The provider answers once it has handed on what came: long after the time of a plain answer.
    const waiting: (() => void)[] = [];
    const slow = createServer((request, response) => {
      request.resume().on('end', () => waiting.push(() => response.writeHead(201).end('{"post_id":"p-1"}')));
    });
    slow.listen(0, '127.0.0.1');
    await once(slow, 'listening');
    const { port } = slow.address() as AddressInfo;
    // Real ms: nothing is done in it, but for a video.
    const hasty = new UnipileAdapter({
      url: `http://127.0.0.1:${port}`,
      apiKey: API_KEY,
      timeoutMs: 1,
      settleAfterMs: 0,
    });
    const file = { path, mime: 'video/mp4', name: '1.mp4', alt: '' };
    const text = failure(hasty.publishPost(account, { text: 'Words alone', files: [] }));
    expect((await text).kind).to.equal('unknown_outcome');
    for (const answerNow of waiting.splice(0)) answerNow();
    const video = hasty.publishPost(account, { text: 'A video', files: [file] });
    while (waiting.length === 0)
      await once(slow, 'request').then(([request]) => once(request as IncomingMessage, 'end'));
    for (const answerNow of waiting.splice(0)) answerNow();
    expect(await video).to.deep.equal({ ref: 'p-1' });
    await hasty.close();
    slow.close();
    await rm(folder, { recursive: true });
  });

  it('the sandbox refuses in the same words for an account that is restricted, or whose login ran out', async () => {
    const bench = await startBench('restricted');
    const bob = await bench.adapter.lookupProfile(account, { publicId: 'bob-b' });
    const ask: NetworkAction = { kind: 'connection_request', providerId: bob.providerId, publicId: 'bob-b' };
    for (const [status, type] of [
      ['PERMISSIONS', 'account_restricted'],
      ['CREDENTIALS', 'expired_credentials'],
      ['STOPPED', 'disconnected_account'],
    ] as const) {
      await bench.control('accounts', { accountId: 'acc-1', status });
      const error = await failure(bench.adapter.perform(account, ask));
      expect(error.message).to.contain(`errors/${type}`);
      expect(error.kind).to.equal('unavailable_before_send');
    }
    await bench.stop();
  });
});
