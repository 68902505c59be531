import { expect } from 'chai';
import { DateTime } from 'luxon';
import type { BusinessHours } from '../../pkg/domain/business-hours.ts';
import { chain, DAY, message } from '../fixtures/engine/workflow-fixture.ts';
import { type Bounds, crowded, outOfHours, overBudget, tooNear, twice } from '../simulation/judge.ts';
import { type Act, SimulatedNetwork } from '../simulation/simulated-network.ts';
import { World } from '../simulation/world.ts';
import { FULL, SEED, tellSeed, times } from './seed.ts';

/** 13 weeks from a Monday on, in which summer time begins in New York and Berlin and ends in Sydney; a weekend with New York's. */
const START = Date.UTC(2026, 2, times(6, 2), 6);
const DAYS = times(4, 91);
const OFFICE: BusinessHours = { timezoneMode: 'account', days: [1, 2, 3, 4, 5], startHour: 9, endHour: 18 };
const LIMITS = { profile_view: { day: 14 }, connection_request: { day: 12, week: 50 }, message: { day: 20, week: 80 } };

interface Account extends Bounds {
  mode: 'lead' | 'account';
  leadZones: string[];
}
const WEEKENDS: BusinessHours = { ...OFFICE, days: [1, 2, 3, 4, 5, 6, 7] };
const ACCOUNTS: Account[] = [
  {
    timezone: 'Europe/Berlin',
    hours: OFFICE,
    limits: LIMITS,
    mode: 'lead',
    leadZones: ['Europe/Berlin', 'Europe/London', 'America/New_York'],
  },
  {
    timezone: 'America/New_York',
    hours: WEEKENDS,
    limits: LIMITS,
    weekendFactor: 0.5,
    mode: 'account',
    leadZones: ['Asia/Tokyo'],
  },
  {
    timezone: 'Australia/Sydney',
    hours: OFFICE,
    limits: { ...LIMITS, connection_request: { day: 5, week: 20 } },
    mode: 'lead',
    leadZones: ['Asia/Tokyo'],
  },
];
const USED = ACCOUNTS.slice(0, times(2, 3));

const GRAPH = chain(
  { nodeType: 'network:profile_view' },
  { nodeType: 'network:connection_request' },
  { nodeType: 'network:wait_connection', config: { timeoutMs: 14 * DAY } },
  message('One {{lead:firstName}}'),
  { nodeType: 'network:wait_reply', config: { timeoutMs: 4 * DAY } },
  message('Two {{lead:firstName}}'),
);
GRAPH.edges[2] = { sourceIndex: 2, targetIndex: 3, branch: 'accepted' };
GRAPH.edges[4] = { sourceIndex: 4, targetIndex: 5, branch: 'timed_out' };

/** Every account of its own workspace with more people than it can reach; what the network saw. */
async function play(
  days: number,
  restartAt: number | null,
): Promise<{ acts: readonly Act[]; zones: Map<string, string>; now: number }> {
  const world = await World.open(SEED, START, (clock) => new SimulatedNetwork(clock, SEED));
  const zones = new Map<string, string>();
  try {
    for (const { timezone, hours, limits, mode, leadZones, weekendFactor } of USED) {
      const ws = await world.workspace();
      await world.account([ws], { timezone, hours, limits, ...(weekendFactor ? { pacing: { weekendFactor } } : {}) });
      const businessHours = { ...WEEKENDS, timezoneMode: mode };
      const camp = await world.campaign(ws, { businessHours, contactPolicy: { minDaysBetweenTouches: 1 } });
      const flow = await world.workflow(ws, camp, GRAPH);
      const people = await world.people(ws, DAYS * 13, leadZones);
      for (const { publicId, timezone: zone } of people) zones.set(publicId, zone ?? '');
      await world.enrol(ws, flow, people);
    }
    if (restartAt !== null) {
      world.at(restartAt, 'restart', async () => {
        for (const ws of [...world.engines.keys()]) await world.start(ws);
      });
    }
    await world.play(START + days * DAY);
    return { acts: world.network.acts, zones, now: world.now };
  } finally {
    await world.close();
  }
}

describe('a simulated quarter', function () {
  this.timeout(FULL ? 1_800_000 : 120_000);
  afterEach(tellSeed);

  it('no account exceeds a window, no hour its share, hours and gaps hold; after a restart the plan is the same', async () => {
    const { acts, zones } = await play(DAYS, null);
    expect(twice(acts)).to.deep.equal([]);
    for (const [index, account] of USED.entries()) {
      const own = acts.filter((act) => act.account === `acc-${index}`);
      expect(own.length, 'it is busy').to.be.greaterThan(DAYS * 9);
      expect(overBudget(own, account)).to.deep.equal([]);
      expect(tooNear(own, { heavy: 120_000, light: 20_000 })).to.deep.equal([]);
      const bound = (act: Act): [string, BusinessHours][] => [
        [account.timezone, account.hours],
        ...(account.mode === 'lead' ? [[zones.get(act.publicId) ?? '', WEEKENDS] as [string, BusinessHours]] : []),
      ];
      expect(outOfHours(own, bound)).to.deep.equal([]);
      // Tokyo and Sydney share all but two hours, Berlin and New York three: the fewest that bind here.
      const open = index === 0 ? 3 : 7;
      for (const [kind, { day }] of Object.entries(account.limits)) {
        expect(crowded(own, kind, Math.max(2, Math.floor((2 * day) / open))), `account ${index}`).to.deep.equal([]);
      }
    }
    if (FULL) for (const [index, account] of USED.entries()) expectNoBurst(acts, index, account);
    const half = Math.ceil(DAYS / 2);
    const again = await play(Math.min(DAYS, half + 14), START + half * DAY - DAY / 2);
    expect(again.acts).to.deep.equal(acts.slice(0, again.acts.length));
    expect(acts[again.acts.length]?.at ?? Number.POSITIVE_INFINITY).to.be.greaterThan(again.now - 1);
  });
});

/** The first hour of Mondays carries no more than twice what an open hour of Mondays does, of kinds that have a backlog. */
function expectNoBurst(acts: readonly Act[], index: number, { timezone, hours }: Account): void {
  for (const kind of ['profile_view', 'connection_request']) {
    const mondays = acts
      .filter((act) => act.account === `acc-${index}` && act.kind === kind)
      .map((act) => DateTime.fromMillis(act.at, { zone: timezone }))
      .filter((local) => local.weekday === 1);
    const first = mondays.filter((local) => local.hour === hours.startHour).length;
    const mean = mondays.length / (hours.endHour - hours.startHour);
    expect(first, `${kind} of account ${index} on ${DAYS / 7} Mondays`).to.be.at.most(2 * mean);
  }
}
