import { expect } from 'chai';
import { FencedError } from '../../../pkg/base/errors.ts';
import { createLogger } from '../../../pkg/base/log.ts';
import type { LeaseGrant, PoolSource, Seat } from '../../../pkg/engine/lease/lease-source.ts';
import { seatsOf } from '../../../pkg/engine/lease/lease-source.ts';
import { Breaker } from '../../../pkg/engine/pool/breaker.ts';
import { PoolHost } from '../../../pkg/engine/pool/pool-host.ts';
import { PoolTenant, type ServedEngine } from '../../../pkg/engine/pool/pool-tenant.ts';

const log = createLogger('test', 'silent');
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** An engine that does what the test says. */
class Played implements ServedEngine {
  readonly did: string[] = [];
  readonly #ended = Promise.withResolvers<void>();
  readonly settled = Promise.withResolvers<void>();

  constructor(readsAs: string[] = []) {
    this.did = readsAs;
    this.settled.resolve();
  }
  fail(error: unknown): void {
    this.#ended.reject(error);
  }
  run(): Promise<void> {
    this.did.push('run');
    return this.#ended.promise;
  }
  drain(): void {
    this.did.push('drain');
    this.#ended.resolve();
  }
  poke(): void {
    this.did.push('poke');
  }
  async settle(): Promise<void> {
    await this.settled.promise;
    this.did.push('settle');
  }
  async release(): Promise<void> {
    this.did.push('release');
  }
  stop(): void {
    this.did.push('stop');
  }
}

/** A tenant whose rests end when the test says, and whose engines are kept. */
function stage(grants: (LeaseGrant | null)[] = []) {
  const engines: Played[] = [];
  const rests: number[] = [];
  const told = { fenced: 0, failures: [] as number[] };
  let wake = Promise.withResolvers<void>();
  const tenant = new PoolTenant({
    workspaceId: 'ws',
    log,
    claim: async () => (grants.length > 0 ? (grants.shift() ?? null) : { token: 't', epoch: engines.length + 1 }),
    serve: () => {
      const engine = new Played();
      engines.push(engine);
      return engine;
    },
    onFenced: () => told.fenced++,
    onFailure: (failures) => told.failures.push(failures),
    sleep: async (ms, signal) => {
      rests.push(ms);
      await Promise.race([
        wake.promise,
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      ]);
    },
    breaker: new Breaker(() => 0),
  });
  const next = async (): Promise<void> => {
    const before = wake;
    wake = Promise.withResolvers();
    before.resolve();
    for (let index = 0; index < 5; index++) await turn();
  };
  return { tenant, engines, rests, told, next };
}

describe('a workspace of a pool', () => {
  it('leaves by finishing first: drain, then the claim goes back', async () => {
    const { tenant, engines } = stage();
    tenant.start();
    await turn();
    await tenant.leave();
    expect(engines[0]?.did).to.deep.equal(['run', 'drain', 'release', 'stop']);
    expect(tenant.working).to.equal(false);
  });

  it('asks less and less often for a claim that another holds', async () => {
    const { tenant, rests, next, engines } = stage([null, null, null, null, null, null, null]);
    tenant.start();
    for (let index = 0; index < 7; index++) await next();
    expect(rests).to.deep.equal([250, 500, 1_000, 2_000, 4_000, 4_000, 4_000]);
    await next();
    expect(engines).to.have.length(1);
    await tenant.leave();
  });

  it('begins anew after a fault, later each time, and never before what was under way has ended', async () => {
    const { tenant, engines, rests, told, next } = stage();
    tenant.start();
    for (let failure = 0; failure < 10; failure++) {
      await turn();
      engines[failure]?.fail(new Error('poison'));
      await turn();
      await next();
    }
    expect(rests).to.deep.equal([1, 2, 4, 8, 16, 32, 64, 128, 256, 300].map((seconds) => seconds * 1_000));
    expect(told.failures).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(engines[0]?.did).to.deep.equal(['run', 'settle', 'stop']);
    await tenant.leave();
  });

  it('does not claim again while effects of the lost claim are still under way in this process', async () => {
    const { tenant, engines, next, told } = stage();
    tenant.start();
    await turn();
    const first = engines[0];
    Object.assign(first ?? {}, { settled: Promise.withResolvers<void>() });
    first?.fail(new FencedError('no renewal for 20 s'));
    await turn();
    await next();
    expect(engines).to.have.length(1);
    expect(told.fenced).to.equal(1);
    first?.settled.resolve();
    await turn();
    await next();
    expect(engines).to.have.length(2);
    await tenant.leave();
  });

  it('serves nobody who was told to leave while the claim was asked for', async () => {
    const asked = Promise.withResolvers<LeaseGrant>();
    const engine = new Played();
    const tenant = new PoolTenant({
      workspaceId: 'ws',
      log,
      claim: () => asked.promise,
      serve: () => engine,
      onFenced: () => undefined,
      onFailure: () => undefined,
    });
    tenant.start();
    const left = tenant.leave();
    asked.resolve({ token: 't', epoch: 1 });
    await left;
    expect(engine.did).to.deep.equal(['drain', 'run', 'release', 'stop']);
  });

  it('forgets failures after a minute of work', () => {
    let now = 0;
    const breaker = new Breaker(() => now);
    breaker.began();
    expect([breaker.failed(), breaker.failed()]).to.deep.equal([1_000, 2_000]);
    breaker.began();
    now += 60_000;
    expect(breaker.failed()).to.equal(1_000);
  });
});

describe('the host of a pool', () => {
  function host(answers: { seats: Seat[] | null }) {
    const engines = new Map<string, Played>();
    const source: PoolSource = {
      onWake: () => undefined,
      claim: async () => ({ token: 't', epoch: 1 }),
      dueAccounts: async () => ({ accountIds: [], nextAt: null }),
      seats: async () => answers.seats,
    };
    const made: string[] = [];
    const tenant = (workspaceId: string): PoolTenant => {
      made.push(workspaceId);
      return new PoolTenant({
        workspaceId,
        log,
        claim: () => source.claim('workspace', workspaceId),
        serve: () => {
          const engine = new Played();
          engines.set(workspaceId, engine);
          return engine;
        },
        onFenced: () => undefined,
        onFailure: () => undefined,
      });
    };
    return { host: new PoolHost({ source, now: () => 1_000, tenant, log }), source, engines, made };
  }
  const seat = (workspaceId: string, wakeAt: number | null = null): Seat => ({ workspaceId, wakeAt });

  it('serves who is on the list and lets go who is not any more; an answer that is none changes nothing', async () => {
    const answers: { seats: Seat[] | null } = { seats: [seat('a'), seat('b')] };
    const { host: pool, engines, made } = host(answers);
    await pool.look();
    await turn();
    expect(pool.load).to.deep.equal({ seats: 2, working: 2 });
    answers.seats = null;
    await pool.look();
    expect(pool.load.seats).to.equal(2);
    answers.seats = [seat('b')];
    await pool.look();
    for (let index = 0; index < 5; index++) await turn();
    expect(engines.get('a')?.did).to.deep.equal(['run', 'drain', 'release', 'stop']);
    expect(engines.get('b')?.did).to.deep.equal(['run']);
    answers.seats = [seat('a'), seat('b')];
    await pool.look();
    expect(made).to.deep.equal(['a', 'b', 'a']);
  });

  it('pokes whose work was brought forward or is due, and nobody else', async () => {
    const answers: { seats: Seat[] | null } = {
      seats: [seat('a', 9_000), seat('b', 9_000), seat('c'), seat('d', 800)],
    };
    const { host: pool, engines } = host(answers);
    await pool.look();
    await turn();
    answers.seats = [seat('a', 5_000), seat('b', 9_000), seat('c', 900), seat('d', 800)];
    await pool.look();
    expect(engines.get('a')?.did).to.include('poke');
    expect(engines.get('b')?.did).to.not.include('poke');
    expect(engines.get('c')?.did).to.include('poke');
    expect(engines.get('d')?.did, 'its engine has just begun, and finds it by itself').to.not.include('poke');
    await pool.look();
    expect(engines.get('d')?.did, 'it was due for two looks').to.include('poke');
  });

  it('ends when all have finished', async () => {
    const { host: pool, engines, source } = host({ seats: [seat('a'), seat('b')] });
    const stop = new AbortController();
    const ran = pool.run(stop.signal);
    while (engines.size < 2) await turn();
    source.onWake('a');
    stop.abort(new Error('SIGTERM'));
    await ran;
    for (const engine of engines.values()) expect(engine.did.slice(-2)).to.deep.equal(['release', 'stop']);
    expect(engines.get('a')?.did).to.include('poke');
  });
});

describe('an answer about seats', () => {
  it('is believed as a list only: a fault does not let all workspaces go', () => {
    for (const answer of [null, undefined, {}, { type: 'refused' }, { type: 'seats' }, { type: 'seats', seats: 'x' }])
      expect(seatsOf(answer)).to.equal(null);
    expect(
      seatsOf({ type: 'seats', seats: [{ workspaceId: 'a', wakeAt: 5 }, { workspaceId: 7 }, null] }),
    ).to.deep.equal([{ workspaceId: 'a', wakeAt: 5 }]);
  });
});
