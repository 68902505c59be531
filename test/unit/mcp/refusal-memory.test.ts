import { expect } from 'chai';
import type { Admission, AdmissionRequest, Limiter, RateLimits } from '../../../pkg/mcp/limits.ts';
import { retrySeconds } from '../../../pkg/mcp/limits.ts';
import { RefusalMemory } from '../../../pkg/mcp/refusal-memory.ts';

const LIMITS: RateLimits = { read: 120, write: 30, llm: 10, overall: 240 };
const ADMITTED: Admission = { refused: null, retryMs: 0, version: null, sessionEnded: false };

describe('the memory of full windows', () => {
  let now: number;
  /** What the limiter says next, and how often it was asked. */
  let says: Admission;
  let asked: number;
  let memory: RefusalMemory;
  const admit = (category: AdmissionRequest['category'] = 'read', keyId = 'key', limits = LIMITS): Promise<Admission> =>
    memory.admit({ keyId, category, limits, sessionHash: null });

  beforeEach(() => {
    now = 1_000;
    asked = 0;
    says = { ...ADMITTED, refused: 'read', retryMs: 20_400 };
    const inner = {
      admit: async () => {
        asked++;
        return says;
      },
    } as unknown as Limiter;
    memory = new RefusalMemory(inner, () => now);
  });

  it('refuses without asking until the window turns, with the time that is left to the second', async () => {
    expect((await admit()).retryMs).to.equal(20_400);
    for (const [passed, seconds] of [
      [0, 21],
      [400, 20],
      [401, 20],
      [19_399, 2],
      [19_400, 1],
      [20_399, 1],
    ] as const) {
      now = 1_000 + passed;
      const known = await admit();
      expect([known.refused, retrySeconds(known.retryMs)], `${passed} ms later`).to.deep.equal(['read', seconds]);
    }
    expect(asked).to.equal(1);
    says = ADMITTED;
    now = 1_000 + 20_400;
    expect((await admit()).refused).to.equal(null);
    expect([asked, memory.size]).to.deep.equal([2, 0]);
  });

  it('knows of one category, one key and one limit only', async () => {
    await admit();
    says = ADMITTED;
    for (const [category, key, limits] of [
      ['write', 'key', LIMITS],
      ['read', 'other', LIMITS],
      ['read', 'key', { ...LIMITS, read: 121 }],
    ] as const)
      expect((await admit(category, key, limits)).refused).to.equal(null);
    expect(asked).to.equal(4);
  });

  it('names the limit over all categories where that is full, whatever else is', async () => {
    await admit();
    says = { ...ADMITTED, refused: 'overall', retryMs: 30_000 };
    expect((await admit('write')).refused).to.equal('overall');
    for (const category of ['read', 'write', 'llm'] as const)
      expect(await admit(category)).to.include({ refused: 'overall', retryMs: 30_000 });
    expect(asked).to.equal(2);
  });

  it('a full window of an owner refuses all keys of theirs, and nobody else', async () => {
    says = { ...ADMITTED, refused: 'read', byOwner: true, retryMs: 20_000 };
    const owned = (
      keyId: string,
      owner = 'user:1',
      category: 'read' | 'write' = 'read',
      times = 5,
    ): Promise<Admission> =>
      memory.admit({ keyId, category, limits: LIMITS, owner: { id: owner, times }, sessionHash: null });
    expect(await owned('a')).to.include({ refused: 'read', byOwner: true });
    expect(await owned('b')).to.include({ refused: 'read', byOwner: true, retryMs: 20_000 });
    expect(asked).to.equal(1);
    says = ADMITTED;
    for (const other of [owned('a', 'user:2'), owned('a', 'user:1', 'write'), owned('a', 'user:1', 'read', 6)])
      expect((await other).refused).to.equal(null);
  });

  it('holds a bounded number of keys', async () => {
    for (let key = 0; key <= 50_000; key++) await admit('read', `key ${key}`);
    expect(memory.size).to.be.at.most(50_000);
    expect(memory.known({ keyId: 'key 0', category: 'read', limits: LIMITS })).to.equal(undefined);
    expect(memory.known({ keyId: 'key 50000', category: 'read', limits: LIMITS })?.refused).to.equal('read');
  });
});
