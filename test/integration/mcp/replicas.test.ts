import { expect } from 'chai';
import { SystemClock } from '../../../pkg/base/clock.ts';
import { type Harness, type HttpAnswer, startMcp } from '../../fixtures/mcp/harness.ts';
import { type CutProxy, startCutProxy } from '../../tools/cut-proxy.ts';
import { eventually, startTestCluster, type TestCluster } from '../../tools/kube.ts';
import { McpReplicas, textOf } from '../../tools/mcp-replicas.ts';
import { startRedis, type TestRedis } from '../../tools/redis.ts';

const clock = new SystemClock();
/** Calls per second of the rolling restart; test/long has the promise at full size. */
const RATE = 60;
/** Milliseconds for which a store is away. */
const AWAY_MS = 1_500;
const LIMIT = 40;

for (const store of ['Redis', 'Postgres only'] as const) {
  describe(`two replicas behind a load balancer, with ${store}`, function () {
    this.timeout(180_000);
    let cluster: TestCluster;
    let inside: Harness;
    let redis: TestRedis | undefined;
    let toPostgres: CutProxy;
    let replicas: McpReplicas;

    before(async function () {
      if (store === 'Redis') redis = await startRedis();
      if (store === 'Redis' && !redis) return this.skip();
      cluster = await startTestCluster();
      inside = await startMcp({ db: cluster.db });
      await inside.workspace('acme');
      toPostgres = await startCutProxy(Number(new URL(cluster.databaseUrl).port));
      const url = new URL(cluster.databaseUrl);
      url.port = String(toPostgres.port);
      replicas = await McpReplicas.start(cluster, {
        DATABASE_URL: url.href,
        DRAIN_MS: '300',
        MCP_RATE_LIMIT_READ_PER_MIN: '1000000',
        MCP_RATE_LIMIT_OVERALL_PER_MIN: '1000000',
        MCP_RATE_LIMIT_WRITE_PER_MIN: String(LIMIT),
        ...(redis ? { REDIS_URL: redis.url } : {}),
      });
    });
    after(async () => {
      await replicas?.stop();
      await toPostgres?.close();
      await inside?.stop();
      await cluster?.stop();
      await redis?.stop();
    });

    const newKey = async (userId?: string): Promise<{ apiKeyId: string; plaintext: string }> =>
      inside.key(userId ? { userId } : { workspaceId: 'acme' });
    const open = (key: string): Promise<string> => replicas.open(key);
    const call = (key: string, session: string, name: string, input: object = {}): Promise<HttpAnswer> =>
      replicas.call(key, session, name, input);

    it('a session holds on both, and a closed one is gone on both at once', async () => {
      const { plaintext: key } = await newKey();
      const session = await open(key);
      for (let i = 0; i < 4; i++) expect((await call(key, session, 'svc_whoami')).status).to.equal(200);
      const headers = { authorization: `Bearer ${key}`, 'mcp-session-id': session };
      expect((await fetch(replicas.balancer.url, { method: 'DELETE', headers })).status).to.equal(204);
      for (let i = 0; i < 4; i++) expect((await call(key, session, 'svc_whoami')).status).to.equal(404);
    });

    it('a key that one replica revokes is refused by both at the next call', async () => {
      const { plaintext: owner } = await newKey(await inside.user({ member: 'acme', role: 'owner' }));
      const ownSession = await open(owner);
      for (let round = 0; round < 4; round++) {
        const made = await newKey();
        const session = await open(made.plaintext);
        for (let i = 0; i < 2; i++) expect((await call(made.plaintext, session, 'svc_whoami')).status).to.equal(200);
        await call(owner, ownSession, 'svc_revoke_api_key', { apiKeyId: made.apiKeyId });
        for (let i = 0; i < 2; i++) expect((await call(made.plaintext, session, 'svc_whoami')).status).to.equal(401);
        // An odd number of requests, so that the other replica revokes the next one.
        if (round % 2 === 0) await call(owner, ownSession, 'svc_whoami');
      }
    });

    it('a role that was taken away with SQL is gone on both within moments', async () => {
      const user = await inside.user({ member: 'acme', role: 'owner' });
      const { plaintext: key } = await newKey(user);
      const session = await open(key);
      await call(key, session, 'svc_get_workspace', { workspaceId: 'acme' });
      await inside.platform((tx) => tx.exec('delete from member where user_id = $1', [user]));
      await eventually('not a member any more', async () => {
        const texts = await Promise.all(
          [1, 2].map(() => call(key, session, 'svc_get_workspace', { workspaceId: 'acme' })),
        );
        return texts.every((answer) => textOf(answer).includes('not a member'));
      });
    });

    it('limits are exact over both', async () => {
      const { plaintext: key } = await newKey();
      const session = await open(key);
      const input = { campaignId: 'none', name: 'x' };
      const answers = await Promise.all(
        Array.from({ length: LIMIT + 30 }, () => call(key, session, 'svc_create_persona', input)),
      );
      const refused = answers.filter((answer) => textOf(answer).startsWith('Rate limit exceeded'));
      expect(refused.length).to.equal(30);
      for (const answer of refused) {
        const seconds = Number(/Retry after (\d+)s\.$/.exec(textOf(answer))?.[1]);
        expect(seconds).to.be.within(1, 60);
        expect(Number(answer.headers.get('retry-after'))).to.equal(seconds);
      }
    });

    it('the same idempotency key does its work once, whichever replicas are asked, with the same bytes', async () => {
      const { plaintext: key } = await newKey();
      const session = await open(key);
      const csv = 'First Name,Last Name,Email\nAda,Lovelace,ada@replicas.example\n';
      const input = { csv, idempotencyKey: `import-${store}` };
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => call(key, session, 'svc_import_leads_csv', input)),
      );
      expect(new Set(answers.map((answer) => answer.text)).size, answers.map(textOf).join('\n')).to.equal(1);
      expect(textOf(answers[0] as HttpAnswer)).to.contain('importId');
    });

    it('a rolling restart loses no call that was accepted, and no session', async () => {
      const { plaintext: key } = await newKey();
      const session = await open(key);
      const stop = new AbortController();
      const answers: Promise<HttpAnswer>[] = [];
      const load = (async () => {
        while (!stop.signal.aborted) {
          for (let i = 0; i < Math.ceil(RATE / 20); i++)
            answers.push(call(key, session, 'svc_get_workspace', { workspaceId: 'acme' }));
          await clock.sleep(50);
        }
      })();
      for (let i = 0; i < 2; i++) expect(await replicas.replaceOldest()).to.equal(0);
      stop.abort();
      await load;
      const settled = await Promise.all(answers);
      const bad = settled.filter((answer) => answer.status !== 200 || !textOf(answer).includes('Name of acme'));
      expect(bad.map((answer) => `${answer.status} ${answer.text.slice(0, 200)}`)).to.deep.equal([]);
      expect(settled.length).to.be.greaterThan(RATE);
    });

    it('Redis away: no call fails, and it is used again when it is back', async function () {
      if (!redis) return this.skip();
      const { plaintext: key } = await newKey();
      const session = await open(key);
      await redis.kill();
      const until = clock.now() + AWAY_MS;
      while (clock.now() < until) {
        const answer = await call(key, session, 'svc_get_workspace', { workspaceId: 'acme' });
        expect(textOf(answer)).to.contain('Name of acme');
        await clock.sleep(20);
      }
      await redis.restart();
      await eventually('Redis counts', async () => {
        const counted = async (): Promise<string[]> =>
          (await inside.platform((tx) => tx.rows<{ used: number[] }>('select used from request_count'))).map((row) =>
            row.used.join(),
          );
        const before = await counted();
        for (let i = 0; i < 2; i++) await call(key, session, 'svc_get_workspace', { workspaceId: 'acme' });
        return (await counted()).join(' ') === before.join(' ');
      });
    });

    it('Postgres away: a clear answer with Retry-After each time, and calls succeed again when it is back', async () => {
      const { plaintext: key } = await newKey();
      const session = await open(key);
      await call(key, session, 'svc_get_workspace', { workspaceId: 'acme' });
      await toPostgres.cut();
      const until = clock.now() + AWAY_MS;
      let asked = 0;
      while (clock.now() < until) {
        const answer = await call(key, session, 'svc_get_workspace', { workspaceId: 'acme' });
        asked++;
        expect(Number(answer.headers.get('retry-after')), answer.text).to.be.greaterThan(0);
        expect(answer.text).to.match(/the database does not answer|can not answer now/);
        await clock.sleep(20);
      }
      expect(asked).to.be.greaterThan(2);
      await toPostgres.mend();
      await eventually('calls succeed', async () =>
        textOf(await call(key, session, 'svc_get_workspace', { workspaceId: 'acme' })).includes('Name of acme'),
      );
    });
  });
}
