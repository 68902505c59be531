import { expect } from 'chai';
import { SystemClock } from '../../pkg/base/clock.ts';
import { Database } from '../../pkg/postgres/database.ts';
import { verifyAudit } from '../../pkg/store/audit/verify-audit.ts';
import { OwnPostgres } from '../chaos/own-postgres.ts';
import { type Harness, startMcp } from '../fixtures/mcp/harness.ts';
import { eventually, startTestCluster, type TestCluster } from '../tools/kube.ts';
import { McpReplicas, textOf } from '../tools/mcp-replicas.ts';
import { type Hit, loadLine, OpenLoad, type Shot } from '../tools/open-load.ts';
import { startRedis, type TestRedis } from '../tools/redis.ts';

/** Calls per second of the rolling restart. */
const RATE = Number(process.env['LOAD_PER_SECOND'] ?? 500);
/** While a server starts, its machine serves this share of what it serves else: a slow one is asked less, and says so. */
const SHARE = 0.35;
/** Milliseconds for which a store is away. */
const AWAY_MS = Number(process.env['AWAY_MS'] ?? 30_000);
/** Writes per minute of a key. */
const WRITES = 40;
const SESSIONS = 8;
/** One call in so many of the load writes. */
const WRITES_EVERY = 25;
/** Milliseconds within which each call is answered while a store is away. */
const PATIENT_MS = 10_000;
const clock = new SystemClock();

const STATELESS = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': STATELESS,
  'io.modelcontextprotocol/clientCapabilities': {},
};

// Source: the promise that any replica serves any request, over restarts of it and of what it stands on.
for (const store of ['Redis', 'Postgres only'] as const) {
  describe(`two replicas at full size, with ${store}`, function () {
    this.timeout(400_000);
    let postgres: OwnPostgres;
    let cluster: TestCluster;
    let db: Database;
    let inside: Harness;
    let redis: TestRedis | undefined;
    let replicas: McpReplicas;
    const sessions: { key: string; session: string }[] = [];

    before(async function () {
      if (store === 'Redis') redis = await startRedis();
      if (store === 'Redis' && !redis) return this.skip();
      postgres = await OwnPostgres.make();
      cluster = await startTestCluster();
      db = new Database({ url: postgres.urls.appUrl, max: 4, applicationName: 'test' });
      inside = await startMcp({ db });
      await inside.workspace('acme');
      await inside.workspace('small');
      const limits = JSON.stringify({ writePerMinute: WRITES });
      await inside.platform((tx) => tx.exec(`update workspace set limits = $1 where id = 'small'`, [limits]));
      replicas = await McpReplicas.start(cluster, {
        DATABASE_URL: postgres.urls.appUrl,
        DRAIN_MS: '1000',
        MCP_RATE_LIMIT_READ_PER_MIN: '1000000',
        MCP_RATE_LIMIT_OVERALL_PER_MIN: '1000000',
        ...(redis ? { REDIS_URL: redis.url } : {}),
        MCP_RATE_LIMIT_WRITE_PER_MIN: '1000000',
      });
      for (let i = 0; i < SESSIONS; i++) {
        const { plaintext: key } = await inside.key({ workspaceId: 'acme' });
        sessions.push({ key, session: await replicas.open(key) });
      }
    });
    after(async () => {
      await replicas?.stop();
      await inside?.stop();
      await db?.close();
      await cluster?.stop();
      await postgres?.stop();
      await redis?.stop();
    });

    let loads = 0;
    /** A call of the next session, or without one: reads mostly, and lists that can be counted afterwards. */
    const shot = (index: number): Shot => {
      const { key, session } = sessions[index % SESSIONS] as { key: string; session: string };
      const writes = index % WRITES_EVERY === 0;
      const name = writes ? 'svc_create_lead_list' : 'svc_get_workspace';
      const call = { name, arguments: writes ? { name: `list ${loads}-${index}` } : {} };
      const stateless = index % 4 === 3;
      const params = stateless ? { ...call, _meta: META } : call;
      const body = JSON.stringify({ jsonrpc: '2.0', id: index, method: 'tools/call', params });
      const era: Record<string, string> = stateless
        ? { 'mcp-protocol-version': STATELESS, 'mcp-method': 'tools/call', 'mcp-name': name }
        : { 'mcp-session-id': session };
      const headers = {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...era,
      };
      return { what: `${name} ${stateless ? 'without a session' : 'in a session'}`, headers, body };
    };
    const load = (perSecond: number): OpenLoad => {
      loads++;
      return new OpenLoad(replicas.balancer.url, perSecond, shot);
    };
    const succeeded = ({ status, text }: Hit): boolean =>
      status === 200 && !text.includes('"isError"') && text.includes('"result"');
    const told = (hits: readonly Hit[]): string[] => [
      ...new Set(hits.map(({ what, status, text }) => `${what}: ${status} ${text.slice(0, 160)}`)),
    ];
    const lists = (): Promise<number> =>
      inside.platform(async (tx) => (await tx.row<{ n: number }>('select count(*) as n from lead_list'))?.n ?? 0);

    it(`a rolling restart under ${RATE} calls per second loses no call that was accepted, and no session`, async () => {
      const rate = Math.min(RATE, Math.floor((await capacity()) * SHARE));
      if (rate < RATE) console.log(`      this machine is slow: ${rate} calls per second`);
      const before = await lists();
      const running = load(rate);
      for (let i = 0; i < 4; i++) {
        await clock.sleep(1_000);
        expect(await replicas.replaceOldest()).to.equal(0);
      }
      await clock.sleep(1_000);
      const outcome = await running.end();
      console.log(`      ${loadLine(outcome)}`);
      expect(told(outcome.hits.filter((hit) => !succeeded(hit)))).to.deep.equal([]);
      const written = outcome.hits.filter((hit) => hit.what.startsWith('svc_create'));
      expect(await lists(), 'each write is kept once').to.equal(before + written.length);
      for (const { key, session } of sessions)
        expect(textOf(await replicas.call(key, session, 'svc_get_workspace'))).to.contain('Name of acme');
    });

    for (const how of ['killed', 'hanging'] as const) {
      const away = `${how} for ${AWAY_MS / 1_000} s`;

      it(`Redis ${away}: limits begin anew once, in Postgres, and nothing else fails`, async function () {
        if (!redis) return this.skip();
        expect(await refusedOf(WRITES + 5), 'over both').to.equal(5);
        const running = load(100);
        await clock.sleep(500);
        if (how === 'killed') await redis.kill();
        else redis.freeze();
        const until = clock.now() + AWAY_MS;
        expect(await refusedOf(WRITES + 7), 'over both, in Postgres').to.equal(7);
        await changesHold();
        while (clock.now() < until) {
          const { key, session } = sessions[0] as { key: string; session: string };
          for (const method of ['tools/list', 'resources/list', 'prompts/list', 'ping'])
            expect((await replicas.ask(key, session, method)).json.result, method).to.be.an('object');
          expect(await replicas.open(key)).to.not.equal('');
          await clock.sleep(500);
        }
        if (how === 'killed') await redis.restart();
        else redis.thaw();
        await eventually('both count in Redis again', () => countedNowhereElse());
        const outcome = await running.end();
        console.log(`      ${loadLine(outcome)}`);
        expect(told(outcome.hits.filter((hit) => !succeeded(hit)))).to.deep.equal([]);
      });

      it(`Postgres ${away}: a clear answer with Retry-After each time, and recovery alone`, async () => {
        const before = await lists();
        const running = load(50);
        await clock.sleep(1_000);
        if (how === 'killed') postgres.kill();
        else await postgres.freeze();
        const until = clock.now() + AWAY_MS;
        const [base] = replicas.balancer.url.split('/mcp');
        while (clock.now() < until) {
          const alive = await fetch(`${base}/livez`);
          expect(alive.status, 'a database that is away is no reason to restart').to.equal(200);
          expect((await fetch(`${base}/health`)).status).to.equal(200);
          expect([200, 503]).to.include((await fetch(`${base}/readyz`)).status);
          await clock.sleep(500);
        }
        expect((await fetch(`${base}/readyz`)).status).to.equal(503);
        const failedBefore = clock.now();
        if (how === 'killed') await postgres.start();
        else await postgres.thaw();
        await eventually('calls succeed', async () => {
          const { key, session } = sessions[0] as { key: string; session: string };
          return textOf(await replicas.call(key, session, 'svc_get_workspace')).includes('Name of acme');
        });
        console.log(`      served again ${clock.now() - failedBefore} ms after Postgres was back`);
        await clock.sleep(1_000);
        const outcome = await running.end();
        console.log(`      ${loadLine(outcome)}`);
        const bad = outcome.hits.filter((hit) => !succeeded(hit));
        expect(bad.length).to.be.greaterThan((AWAY_MS / 1_000) * 50 * 0.8);
        expect(told(bad.filter((hit) => !isClear(hit)))).to.deep.equal([]);
        expect(outcome.hits.at(-1)?.status).to.equal(200);
        expect(outcome.hits.slice(-25).every(succeeded), 'the last half second').to.equal(true);
        const written = outcome.hits.filter((hit) => hit.what.startsWith('svc_create') && succeeded(hit));
        // A write whose commit was not answered may be there; one that was answered is.
        expect(await lists()).to.be.at.least(before + written.length);
      });
    }

    it('the audit log holds every link, also of what was written after the outage', async () => {
      for (let i = 0; i < 2; i++) expect(await replicas.replaceOldest()).to.equal(0);
      const { broken, gaps, records } = await verifyAudit(db);
      expect(broken).to.equal(null);
      expect(gaps).to.deep.equal([]);
      expect(records).to.be.greaterThan(1_000);
    });

    /** Reads per second that both serve to 32 callers at once. */
    async function capacity(): Promise<number> {
      const started = performance.now();
      let done = 0;
      const caller = async (index: number): Promise<void> => {
        const { key, session } = sessions[index % SESSIONS] as { key: string; session: string };
        while (performance.now() - started < 3_000) {
          await replicas.call(key, session, 'svc_get_workspace');
          done++;
        }
      };
      await Promise.all(Array.from({ length: 32 }, (_, index) => caller(index)));
      return done / ((performance.now() - started) / 1_000);
    }

    /** Calls of a new key of the small workspace, sent at once. @returns how many a limit refused */
    async function refusedOf(calls: number): Promise<number> {
      const { plaintext: key } = await inside.key({ workspaceId: 'small' });
      const session = await replicas.open(key);
      const input = { campaignId: 'none', name: 'x' };
      const answers = await Promise.all(
        Array.from({ length: calls }, () => replicas.call(key, session, 'svc_create_persona', input)),
      );
      return answers.filter((answer) => textOf(answer).startsWith('Rate limit exceeded')).length;
    }

    /** Text that says what is wrong, and seconds after which it is worth another try. */
    function isClear({ status, retryAfter, text, ms }: Hit): boolean {
      const says = /the database does not answer|can not answer now/.test(text);
      return (status === 200 || status === 503) && says && Number(retryAfter) > 0 && ms < PATIENT_MS;
    }

    /** A key that is revoked and a session that ends are gone on both at once, without Redis too. */
    async function changesHold(): Promise<void> {
      const owner = await inside.key({ userId: await inside.user({ member: 'acme', role: 'owner' }) });
      const ownerSession = await replicas.open(owner.plaintext);
      const made = await inside.key({ workspaceId: 'acme' });
      const session = await replicas.open(made.plaintext);
      for (let i = 0; i < 2; i++)
        expect((await replicas.call(made.plaintext, session, 'svc_whoami')).status).to.equal(200);
      await replicas.call(owner.plaintext, ownerSession, 'svc_revoke_api_key', { apiKeyId: made.apiKeyId });
      for (let i = 0; i < 2; i++)
        expect((await replicas.call(made.plaintext, session, 'svc_whoami')).status).to.equal(401);
      const headers = { authorization: `Bearer ${owner.plaintext}`, 'mcp-session-id': ownerSession };
      expect((await fetch(replicas.balancer.url, { method: 'DELETE', headers })).status).to.equal(204);
      for (let i = 0; i < 2; i++)
        expect((await replicas.call(owner.plaintext, ownerSession, 'svc_whoami')).status).to.equal(404);
    }

    /** Whether calls of a new key leave no count in Postgres. */
    async function countedNowhereElse(): Promise<boolean> {
      const { plaintext, apiKeyId } = await inside.key({ workspaceId: 'acme' });
      const session = await replicas.open(plaintext);
      for (let i = 0; i < 4; i++) await replicas.call(plaintext, session, 'svc_whoami');
      const counted = await inside.platform((tx) =>
        tx.row('select 1 from request_count where key_id = $1', [apiKeyId]),
      );
      return counted === undefined;
    }
  });
}
