import { expect } from 'chai';
import pg from 'pg';
import { z } from 'zod';
import { GENERATION_CHANNEL } from '../../../pkg/mcp/generations.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import { type AnyTool, tool } from '../../../pkg/tools/tool.ts';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';
import { eventually } from '../../tools/kube.ts';
import { testPostgres } from '../../tools/postgres.ts';

let release: () => void = () => undefined;

/** Says that it is half done, waits until it is released, and answers. */
const slow: AnyTool = tool({
  name: 'svc_import_leads_csv',
  domain: 'Leads',
  title: 'Slow',
  description: 'Slow.',
  example: { input: {} },
  scope: 'none',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'none',
  input: z.strictObject({}),
  output: z.object({ done: z.boolean() }),
  async run(ctx) {
    ctx.progress(1, 2, 'half');
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return { done: true };
  },
});

describe('events that are kept for those who come back', function () {
  this.timeout(30_000);
  let mcp: Harness;
  let calls: Harness;
  let db: Database;
  let owner: pg.Client;
  let key: string;

  before(async () => {
    const { appUrl, ownerUrl } = await (await testPostgres()).product();
    const heard = (payload: string): void => mcp.server.announced(payload);
    const listen = { channel: GENERATION_CHANNEL, heard, onGap: () => undefined };
    db = new Database({ url: appUrl, max: 8, applicationName: 'test', listen });
    owner = new pg.Client({ connectionString: ownerUrl });
    await owner.connect();
    mcp = await startMcp({ db });
    calls = await startMcp({ db, tools: [slow] });
    await mcp.workspace('acme');
    key = (await mcp.key({ workspaceId: 'acme' })).plaintext;
    await mcp.platform((tx) =>
      tx.exec(
        `insert into campaign (id, workspace_id, uid, title, created_at, updated_at)
         values ('one', 'acme', 'u1', 'One', 1, 1), ('two', 'acme', 'u2', 'Two', 1, 1)`,
      ),
    );
  });
  after(async () => {
    await owner.end();
    await mcp.stop();
    await calls.stop();
    await db.close();
  });

  interface Opened {
    text: () => string;
    stop: () => void;
  }

  const reading = (response: Response, stop: AbortController): Opened => {
    let text = '';
    const read = async (): Promise<void> => {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
      text += '(end)';
    };
    read().catch(() => undefined);
    return { text: () => text, stop: () => stop.abort() };
  };
  /** A stream that GET opens, and what came on it. */
  const open = async (session: string, lastEventId?: string, at = mcp): Promise<Opened> => {
    const stop = new AbortController();
    const headers = {
      accept: 'text/event-stream',
      authorization: `Bearer ${key}`,
      'mcp-session-id': session,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    };
    const response = await fetch(at.url, { headers, signal: stop.signal });
    expect(response.status).to.equal(200);
    return reading(response, stop);
  };
  const subscribe = async (session: string, uri: string): Promise<void> => {
    const body = { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri } };
    expect((await mcp.post(key, body, { 'mcp-session-id': session })).json.result).to.deep.equal({});
  };
  const touch = (id: string, title: string): Promise<number> =>
    mcp.platform((tx) => tx.exec('update campaign set title = $2 where id = $1', [id, title]));
  /** A stream of the version without sessions, of which nothing is kept. */
  const witness = async (uri: string, by = key): Promise<Opened> => {
    const stop = new AbortController();
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { _meta: meta, notifications: { resourceSubscriptions: [uri] } };
    const response = await fetch(mcp.url, {
      method: 'POST',
      signal: stop.signal,
      body: JSON.stringify({ jsonrpc: '2.0', id: 'w', method: 'subscriptions/listen', params }),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${by}`,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'subscriptions/listen',
      },
    });
    return reading(response, stop);
  };
  const told = ({ text }: Opened): number => text().split('resources/updated').length - 1;

  it('a change that could not be kept is told as soon as it can', async () => {
    const uri = 'outrider://campaigns/one';
    const first = await witness(uri);
    const session = await mcp.initialize(key);
    await subscribe(session, uri);
    const stream = await open(session);
    const last = await witness(uri);
    await owner.query('revoke insert on outrider.stream_event from outrider_app');
    try {
      for (const times of [1, 2]) {
        await touch('one', `Change ${times}`);
        await eventually('who stands before it was told', () => told(first) === times);
        await eventually('who stands behind it was told too', () => told(last) === times);
      }
    } finally {
      await owner.query('grant insert on outrider.stream_event to outrider_app');
    }
    await eventually('it was told', () => told(stream) > 0, 5_000);
    for (const one of [first, stream, last]) one.stop();
  });

  it('a change after a quiet quarter of an hour is sent again to who came back too', async () => {
    const session = await mcp.initialize(key);
    await subscribe(session, 'outrider://campaigns/two');
    const before = await open(session);
    await touch('two', 'Early');
    const id = await eventually('it was told', () => /id: (get\.[1-9]\d*)/.exec(before.text())?.[1]);
    before.stop();
    await owner.query(`update outrider.stream_event set at = at - interval '20 minutes'`);
    const lost = await open(session);
    await touch('two', 'Late');
    await eventually('it was sent to a connection of which the client does not hear', () => told(lost) === 1);
    const again = await open(session, id);
    await eventually('it was told again', () => told(again) === 1, 5_000);
    for (const one of [lost, again]) one.stop();
  });

  for (const where of ['the same replica', 'another replica']) {
    it(`who came back on ${where} hears of changes, though the connection from before has not ended yet`, async () => {
      const session = await mcp.initialize(key);
      await subscribe(session, 'outrider://campaigns/two');
      const before = await open(session);
      await touch('two', 'Before');
      await eventually('it was told', () => told(before) === 1);
      const again = await open(session, undefined, where === 'the same replica' ? mcp : calls);
      for (const times of [1, 2, 3]) {
        await touch('two', `Again ${times}`);
        await eventually('it was told', () => told(before) + told(again) === 1 + times);
      }
      expect([told(before), told(again)]).to.deep.equal([1, 3]);
      again.stop();
      await eventually('the one before has it again', async () => {
        await touch('two', `After ${told(before)}`);
        return told(before) > 1;
      });
      before.stop();
    });
  }

  it('the first change is sent again too, to who had heard of nothing before the connection broke', async () => {
    const session = await mcp.initialize(key);
    await subscribe(session, 'outrider://campaigns/two');
    const lost = await open(session);
    const id = await eventually(
      'the stream tells where it begins',
      () => /^id: (get\.\d+)$/m.exec(lost.text())?.[1],
      5_000,
    );
    await touch('two', 'First');
    await eventually('it was sent to a connection of which the client does not hear', () => told(lost) === 1);
    const again = await open(session, id);
    await eventually('it was told again', () => told(again) === 1);
    for (const one of [lost, again]) one.stop();
    const older = await open(await mcp.initialize(key, '2025-06-18'));
    await eventually('it is open', () => older.text() !== '');
    expect(older.text(), 'a version that does not know events without data').to.not.contain('id:');
    older.stop();
  });

  it('who names the same record in another spelling takes nobody their changes', async () => {
    const plain = await witness('outrider://campaigns/two');
    const spelt = await witness('outrider://campaigns/%74wo');
    for (const times of [1, 2]) {
      await touch('two', `Spelt ${times}`);
      await eventually('both were told', () => told(plain) === times && told(spelt) === times, 5_000);
    }
    for (const one of [plain, spelt]) one.stop();
  });

  it('a key whose scopes were narrowed hears no more of what it can not read', async () => {
    const uri = 'outrider://campaigns/one';
    const { apiKeyId, plaintext } = await mcp.key({ workspaceId: 'acme' });
    const narrowed = await witness(uri, plaintext);
    const other = await witness(uri);
    await mcp.platform((tx) => tx.exec(`update api_key set scopes = '{leads:read}' where id = $1`, [apiKeyId]));
    for (const times of [1, 2]) {
      await touch('one', `Of no concern ${times}`);
      await eventually('who may read it was told', () => told(other) === times);
    }
    expect(told(narrowed)).to.equal(0);
    for (const one of [narrowed, other]) one.stop();
  });

  it('an answer that can not be kept is sent all the same', async () => {
    const session = await calls.initialize(key);
    await owner.query('revoke insert on outrider.stream_event from outrider_app');
    try {
      const params = { name: slow.name, arguments: {}, _meta: { progressToken: 'p' } };
      const stop = new AbortController();
      const response = await fetch(calls.url, {
        method: 'POST',
        signal: stop.signal,
        body: JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'tools/call', params }),
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          authorization: `Bearer ${key}`,
          'mcp-session-id': session,
        },
      });
      const { text } = reading(response, stop);
      await eventually('it is half done', () => text().includes('notifications/progress'));
      release();
      await eventually('it ended', () => text().includes('(end)'));
      expect(text()).to.contain('"id":5,"result":').and.contain('{"done":true}');
    } finally {
      await owner.query('grant insert on outrider.stream_event to outrider_app');
    }
  });
});
