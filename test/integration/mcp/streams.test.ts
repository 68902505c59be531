import { expect } from 'chai';
import { z } from 'zod';
import { Database } from '../../../pkg/postgres/database.ts';
import { type AnyTool, tool } from '../../../pkg/tools/tool.ts';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';
import { eventually } from '../../tools/kube.ts';
import { testPostgres } from '../../tools/postgres.ts';

/** What handlers of this test saw. */
const seen = { started: 0, aborted: 0 };
let release: () => void = () => undefined;

/** Writes a row, waits until it is released or cancelled, and answers. */
const slow: AnyTool = tool({
  name: 'svc_import_leads_csv',
  domain: 'Leads',
  title: 'Slow',
  description: 'Slow.',
  example: { input: {} },
  scope: 'leads:write',
  category: 'write',
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'none',
  input: z.strictObject({}),
  output: z.object({ done: z.boolean() }),
  async run(ctx) {
    return ctx.platformTx(async (tx) => {
      await tx.exec(`update workspace set plan = 'half' where id = 'acme'`);
      seen.started++;
      ctx.progress(1, 2, 'half');
      await new Promise<void>((resolve) => {
        release = resolve;
        ctx.signal.addEventListener('abort', () => {
          seen.aborted++;
          resolve();
        });
      });
      ctx.signal.throwIfAborted();
      return { done: true };
    });
  },
});

describe('MCP streams: progress, cancellation, subscriptions, resumption', function () {
  this.timeout(30_000);
  let a: Harness;
  let b: Harness;
  let db: Database;
  let key: string;
  let url: string;
  const replicas: Harness[] = [];

  before(async () => {
    const { appUrl } = await (await testPostgres()).product();
    url = appUrl;
    const heard = (payload: string): void => {
      for (const replica of replicas) replica.server.announced(payload);
    };
    const listen = { channel: 'outrider_generation', heard, onGap: () => undefined };
    db = new Database({ url: appUrl, max: 8, applicationName: 'test', listen });
    a = await startMcp({ db, tools: [slow] });
    b = await startMcp({ db });
    replicas.push(a, b);
    await a.workspace('acme');
    await a.workspace('rival');
    key = (await a.key({ userId: await a.user({ member: 'acme', role: 'owner' }) })).plaintext;
    await a.platform((tx) =>
      tx.exec(
        `insert into campaign (id, workspace_id, uid, title, created_at, updated_at)
         values ('mine', 'acme', 'u1', 'Mine', 1, 1), ('later', 'acme', 'u3', 'Later', 1, 1), ('other', 'rival', 'u2', 'Other', 1, 1)`,
      ),
    );
  });
  after(async () => {
    await a.stop();
    await b.stop();
    await db.close();
  });
  beforeEach(() => {
    seen.started = 0;
    seen.aborted = 0;
  });

  const plan = (): Promise<string | undefined> =>
    a.platform(async (tx) => (await tx.row<{ plan: string }>(`select plan from workspace where id = 'acme'`))?.plan);
  const call = (id: number, meta?: object): object => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: slow.name, arguments: {}, ...(meta ? { _meta: meta } : {}) },
  });
  const started = (): Promise<unknown> => eventually('the call runs', () => seen.started === 1);
  const touch = (id: string, title: string): Promise<number> =>
    a.platform((tx) => tx.exec('update campaign set title = $2 where id = $1', [id, title]));

  /** A stream that GET opens, and what came on it. */
  const open = async (
    url: string,
    headers: Record<string, string>,
  ): Promise<{ text: () => string; stop: () => void }> => {
    const stop = new AbortController();
    const all = { accept: 'text/event-stream', authorization: `Bearer ${key}`, ...headers };
    const response = await fetch(url, { headers: all, signal: stop.signal });
    expect(response.status).to.equal(200);
    let text = '';
    const read = async (): Promise<void> => {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
      text += '(end)';
    };
    read().catch(() => undefined);
    return { text: () => text, stop: () => stop.abort() };
  };

  for (const where of ['the same replica', 'another replica']) {
    it(`notifications/cancelled on ${where} stops a call: nothing of it is kept and nothing is answered`, async () => {
      const session = { 'mcp-session-id': await a.initialize(key) };
      const answer = a.post(key, call(5), session);
      await started();
      const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5, reason: 'enough' } };
      const told = where === 'the same replica' ? a : b;
      expect((await told.post(key, cancel, session)).status).to.equal(202);
      expect([(await answer).status, (await answer).text]).to.deep.equal([202, '']);
      expect(seen.aborted).to.equal(1);
      expect(await plan()).to.not.equal('half');
    });
  }

  it('a replica whose only connection is inside the call hears that it is cancelled', async () => {
    let server: Harness['server'] | undefined;
    const heard = (payload: string): void => server?.announced(payload);
    const listen = { channel: 'outrider_generation', heard, onGap: () => undefined };
    const lone = new Database({ url, max: 4, applicationName: 'lone', listen });
    const c = await startMcp({ db: lone, tools: [slow] });
    server = c.server;
    const session = { 'mcp-session-id': await b.initialize(key) };
    const answer = c.post(key, call(5), session);
    await started();
    const connections = async (): Promise<boolean> => {
      const { rows } = await db.pool.query(
        `select 1 from pg_stat_activity where application_name = 'lone' and state = 'idle'`,
      );
      return rows.length > 0;
    };
    await eventually('somebody listens beside the call', connections);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } };
    await b.post(key, cancel, session);
    expect((await answer).status).to.equal(202);
    expect(seen.aborted).to.equal(1);
    await c.stop();
    await lone.close();
  });

  it('a cancelled import ends with the part under way, of which it leaves no lead; the same call goes on with the rest', async () => {
    const id = await b.initialize(key);
    const rows = Array.from({ length: 4_000 }, (_, row) => `p${row}@many.example,Ann ${row}`);
    const input = { workspaceId: 'acme', csv: `email,full name\n${rows.join('\n')}`, idempotencyKey: 'cancelled' };
    const params = { name: 'svc_import_leads_csv', arguments: input, _meta: { progressToken: 'p' } };
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${key}`,
      'mcp-session-id': id,
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'tools/call', params });
    const response = await fetch(b.url, { method: 'POST', headers, body });
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (!text.includes('"progress":1')) continue;
      const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } };
      await b.post(key, cancel, { 'mcp-session-id': id });
    }
    expect(text).to.not.contain('"result"');
    const stored = async (): Promise<number> =>
      (await b.platform((tx) => tx.row<{ count: number }>('select count(*)::int as count from lead')))?.count ?? -1;
    const left = await stored();
    expect([left % 1_000, left < rows.length], `${left} are there`).to.deep.equal([0, true]);
    const again = { jsonrpc: '2.0', id: 10, method: 'tools/call', params: { name: params.name, arguments: input } };
    const { json } = await b.post(key, again, { 'mcp-session-id': id });
    expect(json.result).to.have.nested.property('structuredContent.created', rows.length);
    expect(await stored()).to.equal(rows.length);
  });

  it('a call of another session can not be cancelled', async () => {
    const session = { 'mcp-session-id': await a.initialize(key) };
    const answer = a.post(key, call(5), session);
    await started();
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } };
    await a.post(key, cancel, { 'mcp-session-id': await a.initialize(key) });
    release();
    expect((await answer).json.result).to.deep.include({ structuredContent: { done: true } });
    expect(seen.aborted).to.equal(0);
    await a.platform((tx) => tx.exec(`update workspace set plan = 'whole' where id = 'acme'`));
  });

  it('without sessions the end of the connection cancels', async () => {
    const stop = new AbortController();
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${key}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': slow.name,
    };
    const body = JSON.stringify(call(5, meta));
    const gone = fetch(a.url, { method: 'POST', headers, body, signal: stop.signal }).catch(() => 'gone');
    await started();
    stop.abort();
    expect(await gone).to.equal('gone');
    await eventually('the handler heard of it', () => seen.aborted === 1);
    expect(await plan()).to.not.equal('half');
  });

  it('an answer whose connection broke is sent again after Last-Event-ID, on any replica, to its session only', async () => {
    const id = await a.initialize(key);
    const stop = new AbortController();
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${key}`,
      'mcp-session-id': id,
    };
    const body = JSON.stringify(call(5, { progressToken: 'p' }));
    const response = await fetch(a.url, { method: 'POST', headers, body, signal: stop.signal });
    const first = Buffer.from((await response.body?.getReader().read())?.value ?? []).toString();
    const eventId = /^id: (\S+)$/m.exec(first)?.[1] ?? '';
    expect(eventId).to.match(/^[0-9a-f-]{36}\.0$/);
    stop.abort();
    const resumed = await open(b.url, { 'mcp-session-id': id, 'last-event-id': eventId });
    release();
    await eventually('the answer came', () => resumed.text().includes('(end)'));
    expect(resumed.text()).to.contain('"id":5,"result":').and.contain('{"done":true}');
    expect(seen.aborted, 'a lost connection is no cancellation').to.equal(0);
    const other = await open(a.url, { 'mcp-session-id': await a.initialize(key), 'last-event-id': eventId });
    const again = await open(a.url, { 'mcp-session-id': id, 'last-event-id': eventId });
    await eventually('it came again', () => again.text().includes('(end)'));
    expect(again.text()).to.contain('{"done":true}');
    expect(other.text()).to.not.contain('done');
    other.stop();
    const kept = await a.platform((tx) => tx.rows<{ sealed: Buffer }>('select sealed from stream_event'));
    expect(kept.length).to.be.greaterThan(0);
    for (const { sealed } of kept) expect(sealed.toString('latin1')).to.not.contain('done');
  });

  it('a subscribed campaign is told on the stream of another replica, once, and again after Last-Event-ID', async () => {
    const id = await b.initialize(key);
    const session = { 'mcp-session-id': id };
    const subscribe = (uri: string, method = 'resources/subscribe') =>
      b.post(key, { jsonrpc: '2.0', id: 1, method, params: { uri } }, session);
    const uri = 'outrider://campaigns/mine';
    expect((await subscribe(uri)).json.result).to.deep.equal({});
    expect((await subscribe('outrider://campaigns/other')).json.error?.code).to.equal(-32_002);
    const one = await open(a.url, session);
    const two = await open(b.url, session);
    const told = (): string => one.text() + two.text();
    const count = (of: string): number => told().split(`{"uri":"outrider://campaigns/${of}"}`).length - 1;
    await touch('other', 'Not ours');
    await touch('mine', 'Changed');
    await eventually('it was told', () => count('mine') === 1);
    // Rounds follow each other: what is told of a later change comes after anything told twice.
    await subscribe('outrider://campaigns/later');
    await touch('later', 'Changed');
    await eventually('a later change was told', () => count('later') === 1);
    expect([count('mine'), count('other')]).to.deep.equal([1, 0]);
    expect(told()).to.contain('id: get.1');
    const again = await open(a.url, { ...session, 'last-event-id': 'get.0' });
    await eventually('it was told again', () => again.text().includes('id: get.1'));
    await subscribe(uri, 'resources/unsubscribe');
    await touch('mine', 'Changed again');
    await touch('later', 'Changed again');
    await eventually('the other one was told', () => count('later') + again.text().split('/later"').length - 1 >= 2);
    expect(count('mine')).to.equal(1);
    for (const stream of [one, two, again]) stream.stop();
  });

  it('who is no member any more hears nothing, and the stream of a revoked key ends', async () => {
    const userId = await b.user({ member: 'acme' });
    const made = await b.key({ userId });
    const session = { 'mcp-session-id': await b.initialize(made.plaintext) };
    const uri = 'outrider://campaigns/mine';
    await b.post(made.plaintext, { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri } }, session);
    const stream = await open(b.url, { ...session, authorization: `Bearer ${made.plaintext}` });
    await b.platform(async (tx) => {
      await tx.exec('delete from member where user_id = $1', [userId]);
      await tx.exec('update app_user set generation = generation + 1 where id = $1', [userId]);
    });
    const member = { 'mcp-session-id': await b.initialize(key) };
    await b.post(key, { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri } }, member);
    const witness = await open(b.url, member);
    for (const times of [1, 2]) {
      await touch('mine', `Of no concern ${times}`);
      await eventually('a member heard of it', () => witness.text().split('resources/updated').length === times + 1);
    }
    witness.stop();
    expect(stream.text()).to.not.contain('updated');
    await b.platform((tx) =>
      tx.exec('update api_key set revoked_at = 1, generation = generation + 1 where id = $1', [made.apiKeyId]),
    );
    await touch('mine', 'Of less concern');
    await eventually('it ended', () => stream.text().includes('(end)'));
  });

  it('subscriptions/listen acknowledges what it honours, tags what it tells, and ends with its result', async () => {
    const replica = await startMcp({ db });
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const uri = 'outrider://campaigns/mine';
    const notifications = { toolsListChanged: true, resourceSubscriptions: [uri] };
    const body = { jsonrpc: '2.0', id: 'l1', method: 'subscriptions/listen', params: { _meta: meta, notifications } };
    const response = await fetch(replica.url, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${key}`,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'subscriptions/listen',
      },
    });
    let text = '';
    const reading = (async () => {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
    })();
    await eventually('it was acknowledged', () => text.includes('acknowledged'));
    await touch('mine', 'For the listener');
    await eventually('it was told', () => text.includes('resources/updated'));
    await replica.stop();
    await reading;
    const events = text.match(/(?<=data: )\{.*\}/g)?.map((one) => JSON.parse(one)) ?? [];
    expect(events.length).to.equal(3);
    expect(events[0].params.notifications).to.deep.equal({ resourceSubscriptions: [uri] });
    for (const { params } of events.slice(0, 2)) {
      expect(params._meta).to.deep.equal({ 'io.modelcontextprotocol/subscriptionId': 'l1' });
    }
    expect(events[2].id).to.equal('l1');
    expect(events[2].result.resultType).to.equal('complete');
  });
});
