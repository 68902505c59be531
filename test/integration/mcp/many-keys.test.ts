import { expect } from 'chai';
import { createLogger } from '../../../pkg/base/log.ts';
import type { RateLimits } from '../../../pkg/mcp/limits.ts';
import { PostgresLimiter } from '../../../pkg/mcp/postgres-limiter.ts';
import { RedisLimiter } from '../../../pkg/mcp/redis-limiter.ts';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';
import { startRedis, type TestRedis } from '../../tools/redis.ts';

const LIMITS: RateLimits = { read: 10, write: 25, llm: 5, overall: 30 };
const TIMES = 3;
const KEYS = 25;

type Text = Promise<string>;

for (const where of ['Postgres', 'Redis'] as const) {
  describe(`keys without number bind somebody: counted in ${where}`, function () {
    this.timeout(60_000);
    let mcp: Harness;
    let redis: TestRedis | undefined;

    before(async function () {
      if (where === 'Redis') redis = await startRedis();
      if (where === 'Redis' && !redis) return this.skip();
      const url = redis?.url;
      mcp = await startMcp({
        limits: LIMITS,
        ownerTimes: TIMES,
        maxKeys: 50,
        ...(url === undefined
          ? {}
          : {
              limiter: (db, onGap) =>
                new RedisLimiter({
                  url,
                  postgres: new PostgresLimiter(db),
                  log: createLogger('test', 'silent'),
                  onGap,
                }),
            }),
      });
      for (const workspace of ['acme', 'other']) await mcp.workspace(workspace);
    });
    after(async () => {
      await mcp?.stop();
      await redis?.stop();
    });

    const opened = async (key: string): Promise<(name: string, input?: object) => Text> => {
      const session = { 'mcp-session-id': await mcp.initialize(key) };
      return async (name, input = {}) => {
        const params = { name, arguments: input };
        return (await mcp.post(key, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, session)).text;
      };
    };
    /** What a call that makes a key answers. */
    const keyIn = (text: string): string => /cs[u]?_[0-9a-f]{32}/.exec(text)?.[0] ?? '';
    /** The owner of acme makes keys in a burst, as the harm was done. */
    const burst = async (keyType: 'user' | 'workspace'): Promise<string[]> => {
      const owner = await mcp.user({ member: 'acme', role: 'owner' });
      const call = await opened((await mcp.key({ userId: owner })).plaintext);
      const input = { workspaceId: 'acme', scopes: ['workspace:read'], keyType };
      const made = await Promise.all(
        Array.from({ length: KEYS }, (_, key) => call('svc_create_api_key', { ...input, name: `burst ${key}` })),
      );
      return made.map(keyIn).filter((key) => key !== '');
    };
    const passed = (texts: readonly string[]): number => texts.filter((text) => !text.includes('Rate limit')).length;

    for (const keyType of ['workspace', 'user'] as const) {
      it(`25 ${keyType} keys made in a burst may together no more than ${TIMES} keys may`, async () => {
        const keys = await burst(keyType);
        expect(keys.length).to.be.at.least(20);
        const calls = await Promise.all(keys.map(opened));
        const texts = await Promise.all(calls.flatMap((call) => [call('svc_whoami'), call('svc_whoami')]));
        expect(passed(texts)).to.equal(LIMITS.read * TIMES);
        const refused = texts.find((text) => text.includes('Rate limit')) ?? '';
        expect(refused).to.contain(
          `(category read, ${LIMITS.read * TIMES} per minute over all keys of the ${keyType}). Retry after `,
        );
        // Nothing of what was refused was counted: another category goes on.
        expect(await calls[0]?.('svc_update_workspace', { workspaceId: 'acme' })).to.not.contain('Rate limit');
      });
    }

    it('one key has its own limit, and those of others are not touched', async () => {
      const one = await opened((await mcp.key({ workspaceId: 'other' })).plaintext);
      const texts = [];
      for (let i = 0; i < LIMITS.read + 1; i++) texts.push(await one('svc_whoami'));
      expect(passed(texts)).to.equal(LIMITS.read);
      expect(texts.at(-1)).to.contain(`(category read, ${LIMITS.read} per minute). Retry after`);
      const user = await mcp.user({ member: 'acme' });
      const other = await opened((await mcp.key({ userId: user })).plaintext);
      expect(await other('svc_whoami')).to.not.contain('Rate limit');
    });

    it('the limit over all categories holds over all keys too', async () => {
      const user = await mcp.user({ member: 'other' });
      const calls = await Promise.all(
        Array.from({ length: 8 }, async () => opened((await mcp.key({ userId: user })).plaintext)),
      );
      const each = (call: (name: string) => Text, name: string, times: number): Text[] =>
        Array.from({ length: times }, () => call(name));
      const reads = await Promise.all(calls.flatMap((call) => each(call, 'svc_whoami', 4)));
      expect(passed(reads)).to.equal(LIMITS.read * TIMES);
      const writes = await Promise.all(calls.flatMap((call) => each(call, 'svc_create_campaign', 10)));
      expect(passed(writes)).to.equal((LIMITS.overall - LIMITS.read) * TIMES);
      expect(await calls[0]?.('svc_whoami')).to.contain('(category overall, 90 per minute over all keys of the user)');
    });

    it('sessions are opened no faster by many keys', async () => {
      const user = await mcp.user({ member: 'other' });
      const keys = await Promise.all(Array.from({ length: 5 }, () => mcp.key({ userId: user })));
      const opened = await Promise.all(
        keys.flatMap(({ plaintext }) => Array.from({ length: 30 }, () => mcp.initialize(plaintext))),
      );
      expect(opened.filter((id) => id !== '')).to.have.length(LIMITS.overall * TIMES);
    });
  });
}

describe('live keys of a user or a workspace', () => {
  let mcp: Harness;
  before(async () => {
    mcp = await startMcp({ maxKeys: 10 });
    await mcp.workspace('acme');
  });
  after(() => mcp.stop());

  for (const keyType of ['workspace', 'user'] as const) {
    it(`are at most as many ${keyType} keys as the setting says, also when they are made at once; a revoked one makes room`, async () => {
      const owner = await mcp.user({ member: 'acme', role: 'owner' });
      const client = await mcp.client((await mcp.key({ userId: owner })).plaintext);
      const make = async (key: number): Promise<{ text: string; isError: boolean }> => {
        const input = { workspaceId: 'acme', name: `k${key}`, scopes: ['workspace:read'], keyType };
        const answer = await client.callTool({ name: 'svc_create_api_key', arguments: input });
        const [content] = answer.content as { text: string }[];
        return { text: content?.text ?? '', isError: answer.isError === true };
      };
      const made = await Promise.all(Array.from({ length: 25 }, (_, key) => make(key)));
      const live = await mcp.platform((tx) =>
        tx.row<{ n: number }>(
          `select count(*)::int as n from api_key
           where revoked_at is null and key_type = $1 and (user_id = $2 or workspace_id = 'acme')`,
          [keyType, owner],
        ),
      );
      expect(live?.n).to.equal(10);
      const refused = made.find(({ isError }) => isError);
      expect(refused?.text).to.equal(
        `A ${keyType} has at most 10 live keys. Call svc_list_api_keys to find one that is not used, and revoke it with svc_revoke_api_key.`,
      );
      const kept = JSON.parse(made.find(({ isError }) => !isError)?.text ?? '{}') as { apiKeyId: string };
      await client.callTool({ name: 'svc_revoke_api_key', arguments: { apiKeyId: kept.apiKeyId } });
      expect((await make(100)).isError).to.equal(false);
    });
  }
});
