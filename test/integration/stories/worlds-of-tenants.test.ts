import { expect } from 'chai';
import { times } from '../../chaos/seed.ts';
import { type Deed, type Seen, type Tenant, TenantWorld } from '../../fixtures/tools/tenant-world.ts';

const TENANTS: Tenant[] = [
  { ws: 'one-a', agency: 'one' },
  { ws: 'one-b', agency: 'one' },
  { ws: 'two-a', agency: 'two' },
  { ws: 'alone', agency: null },
];
/** One in `make test`, three in `make test-long`; `WORLD_SEEDS=a,b` plays others. */
const SEEDS = process.env['WORLD_SEEDS']?.split(',').map(Number) ?? [1, 2, 3].slice(0, times(1, 3));
const DEEDS = 48;
const PEOPLE = 5;

describe('the world of a tenant is the one in which the others do not exist', function () {
  this.timeout(120_000);

  for (const seed of SEEDS) {
    it(`whatever they import, enrol, exclude and hear (WORLD_SEEDS=${seed})`, async () => {
      const deeds = deedsOf(seed);
      const all = await played(TENANTS, deeds);
      for (const agency of new Set(TENANTS.map((tenant) => tenant.agency))) {
        const own = TENANTS.filter((tenant) => tenant.agency === agency);
        const apart = await played(own, deeds);
        for (const { ws } of own)
          for (const what of ['answers', 'sent', 'leads', 'reads'] as const)
            expect(differences(all.get(ws)?.[what], apart.get(ws)?.[what]), `${what} of ${ws}`).to.deep.equal([]);
      }
    });
  }

  // What an account did is everybody's who shares it: its people, its budget, its inbox. Nothing else is.
  it(`also of those who share an account and no person (WORLD_SEEDS=${SEEDS[0]})`, async () => {
    const drawn = deedsOf(SEEDS[0] ?? 1, (ws, text) => `${TENANTS.find((one) => one.ws === ws)?.agency ?? ws}-${text}`);
    const deeds = drawn.filter(({ kind }) => kind !== 'enrol pool');
    const all = await played(TENANTS, deeds, true);
    expect(
      [...all.values()].some(({ sent }) => sent.length > 0),
      'the account acted',
    ).to.equal(true);
    for (const { reads } of all.values()) expect(new Set(reads.map((one) => one.split(' ')[0])).size).to.be.above(30);
    for (const agency of new Set(TENANTS.map((tenant) => tenant.agency))) {
      const own = TENANTS.filter((tenant) => tenant.agency === agency);
      const apart = await played(own, deeds, true);
      for (const { ws } of own)
        for (const what of ['answers', 'sent', 'leads', 'reads'] as const)
          expect(
            differences(withoutAccount(all.get(ws)?.[what]), withoutAccount(apart.get(ws)?.[what])),
            `${what} of ${ws}`,
          ).to.deep.equal([]);
    }
  });
});

/** Tools that tell of the account itself, and of its inbox. */
const OF_ACCOUNT = /^svc_\w*(?:network_account|conversation|unread_count)\w* /;

const NEXT_ACT = /acts next [\d-]+T[\d:.]+Z|"next\w*At":"[^"]+"/g;

function withoutAccount(seen: readonly string[] = []): string[] {
  // When its next act comes hangs on what it did for others, by its pace.
  return seen.filter((one) => !OF_ACCOUNT.test(one)).map((one) => one.replaceAll(NEXT_ACT, 'acts next then'));
}

async function played(tenants: readonly Tenant[], deeds: readonly Deed[], shared = false): Promise<Map<string, Seen>> {
  const world = await TenantWorld.open(tenants, shared);
  try {
    for (const deed of deeds) await world.do(deed);
    for (const { ws } of TENANTS) await world.do({ ws, kind: 'work' });
    const seen = new Map<string, Seen>();
    for (const { ws } of tenants) seen.set(ws, await world.seenBy(ws));
    return seen;
  } finally {
    await world.close();
  }
}

/** What stands at the same place with the others and without them, where that differs. */
function differences(among: readonly string[] = [], alone: readonly string[] = []): [string?, string?][] {
  const places = Array.from({ length: Math.max(among.length, alone.length) }, (_, at) => at);
  return places.filter((at) => among[at] !== alone[at]).map((at) => [among[at], alone[at]]);
}

/** @param named how a tenant calls a profile or a mail address; absent: all know the same people */
function deedsOf(seed: number, named: (ws: string, text: string) => string = (_ws, text) => text): Deed[] {
  const draw = drawing(seed);
  const profileOf = (ws: string): string => named(ws, `profile-${draw(PEOPLE)}`);
  const mailOf = (ws: string): string => named(ws, `mail-${draw(PEOPLE)}@people.example`);
  const maybe = (text: () => string): string | null => (draw(3) === 0 ? null : text());
  const name = (): string => `Person ${draw(PEOPLE)}`;
  const one = (ws: string): Deed => {
    const profile = (): string => profileOf(ws);
    const mail = (): string => mailOf(ws);
    switch (draw(10)) {
      case 0:
      case 1:
      case 2:
        return {
          ws,
          kind: 'import',
          rows: Array.from({ length: 1 + draw(4) }, () => ({
            name: name(),
            profile: maybe(profile),
            mail: maybe(mail),
          })),
        };
      case 3:
        return { ws, kind: 'upsert', name: name(), profile: profile(), mail: maybe(mail) };
      case 4:
      case 5:
        return { ws, kind: 'enrol', names: [name(), name()] };
      case 6:
        return { ws, kind: 'enrol pool', at: draw(3) };
      case 7:
      case 8:
        return draw(2) === 0
          ? { ws, kind: 'exclude', name: name() }
          : { ws, kind: 'reply', name: name(), replyClass: draw(2) === 0 ? 'positive' : 'unsubscribe' };
      default:
        return { ws, kind: 'work' };
    }
  };
  // Everybody has everybody to begin with.
  const rowsOf = (ws: string): { name: string; profile: string; mail: null }[] =>
    Array.from({ length: PEOPLE }, (_, at) => ({
      name: `Person ${at}`,
      profile: named(ws, `profile-${at}`),
      mail: null,
    }));
  const begun = TENANTS.map(({ ws }): Deed => ({ ws, kind: 'import', rows: rowsOf(ws) }));
  return [...begun, ...Array.from({ length: DEEDS }, () => one((TENANTS[draw(TENANTS.length)] as Tenant).ws))];
}

/** Numbers below a bound, the same for the same seed (mulberry32). */
function drawing(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
