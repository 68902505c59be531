import { expect } from 'chai';
import { numberEvents } from '../../../pkg/store/events/number-events.ts';
import { ConsoleClient } from '../../fixtures/console/console-client.ts';
import { addMember, type Harness, startMcp } from '../../fixtures/mcp/harness.ts';

interface Told {
  id?: string;
  event?: string;
  data?: string;
}

/** An event stream as a page has it. */
class Listening {
  readonly told: Told[] = [];
  ended = false;
  readonly status: number;
  readonly #controller: AbortController;

  private constructor(response: Response, controller: AbortController) {
    this.status = response.status;
    this.#controller = controller;
    void this.#read(response).catch(() => undefined);
  }

  static async open(client: ConsoleClient, query: string, headers: Record<string, string> = {}): Promise<Listening> {
    const controller = new AbortController();
    const response = await fetch(`${client.origin}/console/api/events${query}`, {
      headers: { cookie: client.cookie ?? '', ...headers },
      signal: controller.signal,
    });
    return new Listening(response, controller);
  }

  async #read(response: Response): Promise<void> {
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const fields = text
          .slice(0, end)
          .split('\n')
          .filter((line) => !line.startsWith(':'));
        text = text.slice(end + 2);
        if (fields.length > 0) this.told.push(Object.fromEntries(fields.map((line) => line.split(/: (.*)/s))));
      }
    }
    this.ended = true;
  }

  get changes(): Record<string, unknown>[] {
    return this.told.flatMap(({ event, data }) => (event === 'change' ? [JSON.parse(data ?? '{}')] : []));
  }

  close(): void {
    this.#controller.abort();
  }
}

const until = async (holds: () => boolean): Promise<void> => {
  for (let time = 0; !holds(); time++) {
    if (time > 400) throw new Error('it did not come');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
};

describe('the event stream of the console', function () {
  this.timeout(60_000);
  let mcp: Harness;
  const open: Listening[] = [];

  before(async () => {
    mcp = await startMcp();
    for (const workspace of ['acme', 'other']) await mcp.workspace(workspace);
  });
  afterEach(() => {
    for (const one of open.splice(0)) one.close();
  });
  after(() => mcp?.stop());

  const member = async (workspace = 'acme') => {
    const userId = await mcp.user({ member: workspace });
    // That they joined is an event too, of before.
    await mcp.platform((tx) => numberEvents(tx));
    return { userId, client: await ConsoleClient.signedIn(mcp, userId) };
  };
  const listen = async (client: ConsoleClient, query: string, headers = {}): Promise<Listening> => {
    const listening = await Listening.open(client, query, headers);
    open.push(listening);
    if (listening.status === 200) await until(() => listening.told.length > 0);
    return listening;
  };
  const happens = async (workspaceId: string, kind: string, data: object): Promise<void> => {
    await mcp.platform((tx) =>
      tx.exec(`insert into run_event (workspace_id, at, kind, actor, data) values ($1, $2, $3, 'test', $4)`, [
        workspaceId,
        Date.now(),
        kind,
        JSON.stringify(data),
      ]),
    );
    await mcp.platform((tx) => numberEvents(tx));
  };

  it('names what changed by ids, of this workspace alone', async () => {
    const { client } = await member();
    const listening = await listen(client, '?workspaceId=acme');
    await happens('other', 'lead.enriched', { leadId: 'theirs' });
    await happens('acme', 'lead.enriched', { leadId: 'ours' });
    await until(() => listening.changes.length > 0);
    expect(listening.changes).to.deep.equal([{ kind: 'lead.enriched', recordType: 'lead', ids: ['ours'] }]);
    expect(listening.told.at(-1)?.id).to.match(/^\d+$/);
  });

  it('goes on where its client was, and begins at now for a new one', async () => {
    const { client } = await member();
    const first = await listen(client, '?workspaceId=acme');
    const { id } = first.told[0] ?? {};
    first.close();
    await happens('acme', 'lead.enriched', { leadId: 'missed' });
    const again = await listen(client, '?workspaceId=acme', { 'last-event-id': id ?? '' });
    await until(() => again.changes.length > 0);
    expect(again.changes[0]?.['ids']).to.deep.equal(['missed']);
    const fresh = await listen(client, '?workspaceId=acme');
    await happens('acme', 'lead.enriched', { leadId: 'next' });
    await until(() => fresh.changes.length > 0);
    expect(fresh.changes.flatMap((change) => change['ids'])).to.deep.equal(['next']);
  });

  it('tells who was away for too long to read everything again', async () => {
    const { client } = await member();
    await mcp.platform((tx) =>
      tx.exec(
        `insert into run_event (workspace_id, at, kind, actor, data)
         select 'acme', $1, 'lead.enriched', 'test', jsonb_build_object('leadId', n) from generate_series(1, 700) n`,
        [Date.now()],
      ),
    );
    await mcp.platform((tx) => numberEvents(tx));
    const listening = await listen(client, '?workspaceId=acme', { 'last-event-id': '1' });
    await until(() => listening.changes.length > 0);
    expect(listening.changes[0]).to.deep.equal({ kind: 'reset', recordType: '*', ids: [] });
  });

  it('takes any Last-Event-ID for what it is: a number that was told, or none', async () => {
    const { client } = await member();
    for (const id of ['-1', '1e9', 'x', '99999999999999999999', '999999999', '1; drop']) {
      const listening = await listen(client, '?workspaceId=acme', { 'last-event-id': id });
      expect(listening.status).to.equal(200);
      listening.close();
    }
  });

  it('is for members who are signed in, and for pages of ours', async () => {
    const { client } = await member();
    expect((await listen(client, '?workspaceId=other')).status).to.equal(403);
    expect((await listen(client, '')).status).to.equal(403);
    expect((await listen(new ConsoleClient(mcp.url), '?workspaceId=acme')).status).to.equal(401);
    expect((await listen(client, '?workspaceId=acme', { 'sec-fetch-site': 'cross-site' })).status).to.equal(403);
  });

  it('ends with the session and with the membership', async () => {
    const { userId, client } = await member();
    await mcp.platform((tx) => addMember(tx, 'other', userId, 'member'));
    const [one, other] = [await listen(client, '?workspaceId=acme'), await listen(client, '?workspaceId=other')];
    await mcp.platform((tx) => tx.exec(`delete from member where user_id = $1 and workspace_id = 'other'`, [userId]));
    await happens('other', 'lead.enriched', { leadId: 'secret' });
    await until(() => other.ended);
    expect(other.changes).to.deep.equal([]);
    expect(one.ended).to.equal(false);
    await client.ask('/console/api/sign-out', { body: {} });
    await until(() => one.ended);
  });

  it('keeps nobody signed in', async () => {
    const { userId, client } = await member();
    await mcp.platform((tx) =>
      tx.exec(`update console_session set seen_at = seen_at - interval '1 hour' where user_id = $1`, [userId]),
    );
    const listening = await listen(client, '?workspaceId=acme');
    await happens('acme', 'lead.enriched', { leadId: 'x' });
    await until(() => listening.changes.length > 0);
    const row = await mcp.platform((tx) =>
      tx.row<{ old: boolean }>(
        `select seen_at < clock_timestamp() - interval '50 minutes' as old from console_session where user_id = $1`,
        [userId],
      ),
    );
    expect(row?.old).to.equal(true);
  });

  it('says only what the member may read', async () => {
    const { userId, client } = await member();
    await mcp.platform((tx) => tx.exec(`update member set scope_limit = '{leads:read}' where user_id = $1`, [userId]));
    const listening = await listen(client, '?workspaceId=acme');
    await happens('acme', 'reply.received', { leadId: 'reply' });
    await happens('acme', 'lead.enriched', { leadId: 'lead' });
    await until(() => listening.changes.length > 0);
    expect(listening.changes.map(({ kind }) => kind)).to.deep.equal(['lead.enriched']);
  });

  it('is open 16 times for a user at most', async () => {
    const { client } = await member();
    for (let count = 0; count < 16; count++) expect((await listen(client, '?workspaceId=acme')).status).to.equal(200);
    expect((await listen(client, '?workspaceId=acme')).status).to.equal(429);
    open.pop()?.close();
    open.pop()?.close();
    for (let time = 0; (await listen(client, '?workspaceId=acme')).status !== 200; time++)
      expect(time).to.be.below(100);
  });
});
