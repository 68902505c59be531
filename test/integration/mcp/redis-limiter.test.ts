import { expect } from 'chai';
import { Redis } from 'ioredis';
import { createLogger } from '../../../pkg/base/log.ts';
import type { Admission, Limiter, RateLimits } from '../../../pkg/mcp/limits.ts';
import { PostgresLimiter } from '../../../pkg/mcp/postgres-limiter.ts';
import { RedisLimiter } from '../../../pkg/mcp/redis-limiter.ts';
import { freePort } from '../../../pkg/standalone/free-port.ts';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';
import { eventually } from '../../tools/kube.ts';
import { startRedis, type TestRedis } from '../../tools/redis.ts';

const LIMITS: RateLimits = { read: 3, write: 2, llm: 1, overall: 4 };

describe('request limits in Redis', function () {
  this.timeout(90_000);
  let mcp: Harness;
  let redis: TestRedis | undefined;
  const limiters: RedisLimiter[] = [];
  let gaps = 0;

  before(async () => {
    mcp = await startMcp();
    await mcp.workspace('acme');
    redis = await startRedis();
  });
  afterEach(() => {
    for (const limiter of limiters.splice(0)) limiter.close();
  });
  after(async () => {
    await redis?.stop();
    await mcp.stop();
  });

  const open = (url: string, onState: (answering: boolean) => void = () => undefined): RedisLimiter => {
    const postgres = new PostgresLimiter(mcp.db);
    const onGap = (): void => void gaps++;
    const limiter = new RedisLimiter({ url, postgres, log: createLogger('test', 'silent'), onGap, onState });
    limiters.push(limiter);
    return limiter;
  };
  const newKey = async (): Promise<string> => (await mcp.key({ workspaceId: 'acme' })).apiKeyId;
  const ask = (limiter: Limiter, keyId: string, category: 'read' | 'write' | 'llm' = 'read'): Promise<Admission> =>
    limiter.admit({ keyId, category, limits: LIMITS, sessionHash: null });
  const refusals = (answers: Admission[]): (string | null)[] => answers.map((answer) => answer.refused);
  const countedInPostgres = async (keyId: string): Promise<number> => {
    const rows = await mcp.platform((tx) => tx.rows('select 1 from request_count where key_id = $1', [keyId]));
    return rows.length;
  };

  describe('with Redis', () => {
    let running: TestRedis;
    before(function () {
      if (!redis) return this.skip();
      running = redis;
    });
    const ready = async (): Promise<RedisLimiter> => {
      const limiter = open(running.url);
      await limiter.ready();
      return limiter;
    };

    it('name the category and the time to wait, and write nothing to Postgres', async () => {
      const [limiter, key] = [await ready(), await newKey()];
      for (let i = 0; i < 3; i++) expect((await ask(limiter, key)).refused).to.equal(null);
      const refused = await ask(limiter, key);
      expect(refused.refused).to.equal('read');
      expect(refused.retryMs).to.be.within(1, 60_000);
      expect(await countedInPostgres(key)).to.equal(0);
    });

    it('count over all categories', async () => {
      const [limiter, key] = [await ready(), await newKey()];
      for (const category of ['read', 'read', 'write', 'llm'] as const) {
        expect((await ask(limiter, key, category)).refused).to.equal(null);
      }
      expect((await ask(limiter, key)).refused).to.equal('overall');
    });

    it('a refused call uses up nothing', async () => {
      const [limiter, key] = [await ready(), await newKey()];
      for (let i = 0; i < 10; i++) await ask(limiter, key);
      expect((await ask(limiter, key, 'llm')).refused).to.equal(null);
      expect((await ask(limiter, key, 'write')).refused).to.equal('overall');
    });

    it('where both limits are reached, overall is named: no other category is let through either', async () => {
      const [limiter, key] = [await ready(), await newKey()];
      for (const category of ['read', 'read', 'read', 'llm'] as const) await ask(limiter, key, category);
      expect((await ask(limiter, key)).refused).to.equal('overall');
    });

    it('limits of many workspaces are told apart', async () => {
      const [limiter, key] = [await ready(), await newKey()];
      for (let read = 1; read <= 100; read++) {
        const answer = await limiter.admit({
          keyId: `${key}@${read}`,
          category: 'read',
          limits: { ...LIMITS, read, overall: 1_000 },
          sessionHash: null,
        });
        expect(answer.refused).to.equal(null);
      }
      const about = { category: 'read', sessionHash: null } as const;
      for (const read of [1, 2, 99]) {
        const limits = { ...LIMITS, read, overall: 1_000 };
        for (let i = 1; i < read; i++) await limiter.admit({ keyId: `${key}@${read}`, limits, ...about });
        expect((await limiter.admit({ keyId: `${key}@${read}`, limits, ...about })).refused).to.equal('read');
      }
    });

    it('are exact over replicas that ask at once, and counted apart for each key', async () => {
      const [one, two] = [await ready(), await ready()];
      const [key, other] = [await newKey(), await newKey()];
      const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => ask(i % 2 ? one : two, key)));
      expect(refusals(answers).filter((refused) => refused === null)).to.have.length(3);
      expect((await ask(one, other)).refused).to.equal(null);
    });

    it('end 60 seconds after the first call of the window, not after the last', async () => {
      const [limiter, key] = [await ready(), await newKey()];
      const client = new Redis(running.url);
      await ask(limiter, key);
      const counter = `outrider:window:${key}`;
      expect(await client.pttl(counter)).to.be.within(1, 60_000);
      await client.pexpire(counter, 30_000);
      await ask(limiter, key);
      await ask(limiter, key);
      expect(await client.pttl(counter)).to.be.at.most(30_000);
      expect((await ask(limiter, key)).retryMs).to.be.at.most(30_000);
      await client.pexpire(counter, 0);
      expect((await ask(limiter, key)).refused).to.equal(null);
      client.disconnect();
    });

    it('a stamp shows in the next answer of every replica; without one the version stays while the window lasts', async () => {
      const [one, two, keyId] = [await ready(), await ready(), await newKey()];
      const subject = { keyId, sessionHash: null };
      const calls = { ...subject, category: 'llm', limits: LIMITS } as const;
      const counted = await two.admit(calls);
      expect((await two.standing(subject)).version).to.equal(counted.version);
      expect((await one.admit(calls)).version, 'a refused call').to.equal(counted.version);
      await one.stamp(keyId);
      const stamped = await two.admit(calls);
      expect(stamped.version).to.not.equal(counted.version);
      expect((await one.standing(subject)).version).to.equal(stamped.version);
    });

    it('a version never comes again, also not when windows turn or a key was stamped before its first call', async () => {
      const [limiter, keyId] = [await ready(), await newKey()];
      const client = new Redis(running.url);
      const seen: (string | null)[] = [];
      const look = async (): Promise<unknown> =>
        seen.push((await limiter.standing({ keyId, sessionHash: null })).version);
      await look();
      await limiter.stamp(keyId);
      await look();
      seen.push((await ask(limiter, keyId)).version);
      await client.del(`outrider:window:${keyId}`);
      await look();
      expect(new Set(seen).size).to.equal(seen.length);
      client.disconnect();
    });

    it('a closed session is closed at once when its key is stamped', async () => {
      const [limiter, keyId] = [await ready(), await newKey()];
      const subject = { keyId, sessionHash: Buffer.alloc(32, 7) };
      expect((await limiter.standing(subject)).sessionEnded).to.equal(false);
      await mcp.db.pool.query('insert into session_end (session_hash) values ($1)', [subject.sessionHash]);
      await limiter.stamp(keyId);
      expect((await limiter.standing(subject)).sessionEnded).to.equal(true);
    });

    it('are counted in Postgres while Redis is gone, and in Redis again when it is back', async () => {
      const [limiter, key] = [await ready(), await newKey()];
      await ask(limiter, key);
      await running.kill();
      const before = gaps;
      const meanwhile = [];
      for (let i = 0; i < 4; i++) meanwhile.push(await ask(limiter, key));
      expect(refusals(meanwhile)).to.deep.equal([null, null, null, 'read']);
      expect(meanwhile[0]?.version).to.match(/^p/);
      await running.restart();
      await eventually('Redis counts again', async () => {
        const probe = await newKey();
        await ask(limiter, probe);
        return (await countedInPostgres(probe)) === 0;
      });
      expect(gaps, 'what is remembered of keys is dropped').to.be.greaterThan(before);
    });

    it('a Redis that hangs costs one call half a second, and no call fails', async () => {
      const [limiter, key] = [await ready(), await newKey()];
      running.freeze();
      try {
        const answers = [];
        for (let i = 0; i < 4; i++) answers.push(await ask(limiter, key));
        expect(refusals(answers)).to.deep.equal([null, null, null, 'read']);
        expect(await countedInPostgres(key)).to.equal(1);
      } finally {
        running.thaw();
      }
    });
  });

  it('that Redis went and is back is known where no call comes either', async function () {
    const running = redis ?? this.skip();
    const told: boolean[] = [];
    const limiter = open(running.url, (answering) => void told.push(answering));
    await limiter.ready();
    await running.kill();
    await eventually('it went', () => told.at(-1) === false);
    await running.restart();
    await eventually('it is back', () => told.at(-1) === true);
    running.freeze();
    await ask(limiter, await newKey());
    expect(told.at(-1)).to.equal(false);
    running.thaw();
    await eventually('it answers again', () => told.at(-1) === true);
    expect(told).to.deep.equal([true, false, true, false, true]);
  });

  it('are counted in Postgres where Redis never answered', async () => {
    const limiter = open(`redis://127.0.0.1:${await freePort()}`);
    const key = await newKey();
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await ask(limiter, key, 'write'));
    expect(refusals(answers)).to.deep.equal([null, null, 'write']);
    expect(await countedInPostgres(key)).to.equal(1);
  });
});
