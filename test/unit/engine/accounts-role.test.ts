import { expect } from 'chai';
import { createLogger } from '../../../pkg/base/log.ts';
import type { DueAccounts, LeaseGrant, LeaseSource } from '../../../pkg/engine/lease/lease-source.ts';
import { runAccountsRole } from '../../../pkg/engine/sync/accounts-role.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import { FakeClock } from '../../tools/fake-clock.ts';

const NOTHING: DueAccounts = { accountIds: [], nextAt: null };

/** A source whose answers the test gives; `asked` resolves when the role asks the next time. */
class ScriptedSource implements LeaseSource {
  onWake: () => void = () => undefined;
  looks = 0;
  claims: string[] = [];
  answer: () => Promise<DueAccounts> = () => Promise.resolve(NOTHING);
  #asked = Promise.withResolvers<void>();

  get asked(): Promise<void> {
    return this.#asked.promise;
  }

  claim(_kind: string, key: string): Promise<LeaseGrant | null> {
    this.claims.push(key);
    return new Promise(() => undefined);
  }

  dueAccounts(): Promise<DueAccounts> {
    this.looks++;
    const asked = this.#asked;
    this.#asked = Promise.withResolvers<void>();
    const answer = this.answer();
    asked.resolve();
    return answer;
  }
}

class HeldClock extends FakeClock {
  hold(): Promise<() => void> {
    return Promise.resolve(() => undefined);
  }
  close(): void {}
}

describe('runAccountsDuty', () => {
  const stop = { current: new AbortController() };
  const db = new Database({ url: 'postgres://nobody@127.0.0.1:1/none', max: 1, applicationName: 'test' });
  const start = (source: LeaseSource, clock = new HeldClock()): Promise<void> => {
    stop.current = new AbortController();
    return runAccountsRole(
      {
        db,
        source,
        clock,
        providers: () => undefined,
        newId: () => 'id',
        log: createLogger('test', 'silent'),
        onLease: () => undefined,
      },
      stop.current.signal,
    );
  };
  afterEach(() => stop.current.abort(new Error('over')));
  after(() => db.close());

  it('ends at once when told to stop while the one who is asked does not answer any more', async () => {
    const source = new ScriptedSource();
    source.answer = () => new Promise(() => undefined);
    const first = source.asked;
    const role = start(source);
    await first;
    stop.current.abort(new Error('SIGTERM'));
    await role;
    expect(source.looks).to.equal(1);
  });

  it('ends at once when told to stop while its claim is not answered', async () => {
    const source = new ScriptedSource();
    source.answer = () => Promise.resolve({ accountIds: ['acc-1'], nextAt: null });
    const role = start(source);
    while (source.claims.length === 0) await new Promise((resolve) => setImmediate(resolve));
    stop.current.abort(new Error('SIGTERM'));
    await role;
    expect(source.claims).to.deep.equal(['acc-1']);
  });

  it('an account whose round hangs keeps no other from its turn, nor from the looks that follow', async () => {
    const source = new ScriptedSource();
    const others = Array.from({ length: 8 }, (_, at) => `acc-${at}`);
    source.claim = (_kind, key) => {
      source.claims.push(key);
      return key === 'hangs' ? new Promise(() => undefined) : Promise.resolve(null);
    };
    source.answer = () => {
      const due = source.looks === 1 ? ['hangs', ...others] : ['hangs', 'due-later'];
      return Promise.resolve({ accountIds: due, nextAt: 0 });
    };
    const role = start(source);
    while (!source.claims.includes('due-later')) await new Promise((resolve) => setImmediate(resolve));
    expect(source.claims).to.include.members(others);
    expect(
      source.claims.filter((key) => key === 'hangs'),
      'is not begun a second time',
    ).to.have.length(1);
    stop.current.abort(new Error('SIGTERM'));
    await role;
  });

  it('looks again at a hint, and one that comes during a look is not lost', async () => {
    const source = new ScriptedSource();
    const clock = new HeldClock();
    source.answer = () => {
      if (source.looks === 1) queueMicrotask(() => source.onWake());
      return Promise.resolve({ accountIds: [], nextAt: clock.now() + 86_400_000 });
    };
    const first = source.asked;
    const role = start(source, clock);
    await first;
    await source.asked;
    expect(source.looks).to.equal(2);
    stop.current.abort(new Error('over'));
    await role;
  });

  it('looks again when the next account is due', async () => {
    const source = new ScriptedSource();
    const clock = new HeldClock();
    source.answer = () => Promise.resolve({ accountIds: [], nextAt: clock.now() + 3_600_000 });
    const first = source.asked;
    const role = start(source, clock);
    await first;
    while (clock.sleeping === 0) await new Promise((resolve) => setImmediate(resolve));
    const second = source.asked;
    await clock.advance(3_600_000);
    await second;
    expect(source.looks).to.equal(2);
    stop.current.abort(new Error('over'));
    await role;
  });
});
