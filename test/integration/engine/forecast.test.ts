import { expect } from 'chai';
import type { BusinessHours } from '../../../pkg/domain/business-hours.ts';
import type { Forecast } from '../../../pkg/domain/forecast.ts';
import { hashFloat } from '../../../pkg/domain/random.ts';
import { compileGraph } from '../../../pkg/nodes/compile-graph.ts';
import { forecastGraph } from '../../../pkg/nodes/forecast-graph.ts';
import { query } from '../../fixtures/engine/harness.ts';
import type { GraphInput } from '../../fixtures/engine/rows.ts';
import { DAY, HOUR, message } from '../../fixtures/engine/workflow-fixture.ts';
import { type Act, SimulatedNetwork } from '../../simulation/simulated-network.ts';
import { World } from '../../simulation/world.ts';

/** 20 in `make test-long`. */
const SEEDS = Number(process.env.FORECAST_SEEDS ?? 1);
const SMALL = SEEDS === 1;
/** Monday, 8:00 in Berlin. */
const START = Date.UTC(2026, 0, 5, 7);
const ZONE = 'Europe/Berlin';
const HOURS: BusinessHours = { timezoneMode: 'account', days: [1, 2, 3, 4, 5], startHour: 9, endHour: 18 };
const HORIZON = 80;

const GRAPH: GraphInput = {
  nodes: [
    { nodeType: 'source:manual' },
    { nodeType: 'network:profile_view' },
    { nodeType: 'network:connection_request' },
    { nodeType: 'network:wait_connection', config: { timeoutMs: 14 * DAY } },
    message('One {{lead:firstName}}'),
    { nodeType: 'network:wait_reply', config: { timeoutMs: 4 * DAY } },
    message('Two {{lead:firstName}}'),
    { nodeType: 'network:withdraw_request', config: { olderThanDays: 14 } },
  ],
  edges: [
    { sourceIndex: 0, targetIndex: 1 },
    { sourceIndex: 1, targetIndex: 2 },
    { sourceIndex: 2, targetIndex: 3 },
    { sourceIndex: 3, targetIndex: 4, branch: 'accepted' },
    { sourceIndex: 4, targetIndex: 5 },
    { sourceIndex: 5, targetIndex: 6, branch: 'timed_out' },
    { sourceIndex: 3, targetIndex: 7, branch: 'timed_out' },
  ],
};

interface Case {
  leads: number;
  limits: Record<string, { day: number; week?: number }>;
  acceptRate: number;
  replyRate: number;
}

function caseOf(seed: string): Case {
  const draw = (what: string, low: number, high: number): number => low + (high - low) * hashFloat(seed, what);
  return {
    leads: SMALL ? 15 : Math.round(draw('leads', 40, 120)),
    limits: {
      profile_view: { day: Math.round(draw('views', 10, 40)) },
      connection_request: { day: Math.round(draw('requests', 5, 20)), week: Math.round(draw('week', 40, 90)) },
      message: { day: Math.round(draw('messages', 5, 30)) },
    },
    acceptRate: draw('accept', 0.2, 0.6),
    replyRate: draw('reply', 0.1, 0.5),
  };
}

interface Played {
  acts: readonly Act[];
  acceptanceRate: number;
  replyRate: number;
  endedAt: number;
}

async function simulate(seed: string, { leads, limits, acceptRate, replyRate }: Case): Promise<Played> {
  const population = { acceptRate, replyRate, connectedRate: 0, outOfOfficeRate: 0 };
  const world = await World.open(
    seed,
    START,
    (clock) => new SimulatedNetwork(clock, seed, population),
    (SMALL ? 24 : 8) * HOUR,
  );
  try {
    const ws = await world.workspace();
    await world.account([ws], { timezone: ZONE, hours: HOURS, limits });
    const camp = await world.campaign(ws, { businessHours: HOURS });
    const flow = await world.workflow(ws, camp, GRAPH);
    const people = await world.people(ws, leads);
    await world.enrol(ws, flow, people);
    await world.play(START + HORIZON * DAY);
    const [last] = await query<{ at: number }>(world.bench, 'select max(ended_at) as at from run');
    const of = people.map(({ publicId }) => world.network.behaviour(publicId));
    const accepts = of.filter((one) => one.accepts);
    const replies = accepts.filter((one) => one.reply !== 'none' && one.replyToMessage === 1);
    return {
      acts: world.network.acts,
      acceptanceRate: accepts.length / leads,
      replyRate: replies.length / Math.max(1, accepts.length),
      endedAt: last?.at ?? 0,
    };
  } finally {
    await world.close();
  }
}

function foretell({ leads, limits }: Case, { acceptanceRate, replyRate }: Played): Forecast {
  const { compiled } = compileGraph({
    nodes: GRAPH.nodes.map((node, index) => ({
      ...node,
      nodeId: `n${index}`,
      label: `n${index}`,
      config: node.config ?? {},
    })),
    edges: GRAPH.edges,
  } as Parameters<typeof compileGraph>[0]);
  if (!compiled) throw new Error('refused');
  return forecastGraph({
    graph: compiled,
    accounts: [
      {
        networkAccountId: 'a',
        channel: 'network',
        tier: 'sales',
        timezone: ZONE,
        hours: HOURS,
        limits,
        ramp: null,
        daysSinceFirstSend: null,
        health: 1,
      },
    ],
    campaignHours: HOURS,
    reviewMode: 'off',
    leads,
    startAt: START,
    horizonDays: HORIZON,
    acceptanceRate,
    replyRate,
    writerIsFree: true,
    touchDays: 2,
  });
}

/** What both say, in numbers that can be compared. */
function figures(kinds: Map<string, number>[], days: number): Record<string, number> {
  const sum = (kind: string, until = days): number =>
    kinds.slice(0, until).reduce((all, day) => all + (day.get(kind) ?? 0), 0);
  /** Mean day of a kind, counted from 1. */
  const middle = (kind: string): number =>
    kinds.reduce((all, day, index) => all + (index + 1) * (day.get(kind) ?? 0), 0) / Math.max(1, sum(kind));
  return {
    requests: sum('connection_request'),
    messages: sum('message'),
    withdrawals: sum('withdraw_request'),
    'day of requests': middle('connection_request'),
    'day of messages': middle('message'),
    'days until it ends': days,
  };
}

/** Days since the start, by the clock on the wall of the account; no summer time begins in this winter. */
const dayOf = (at: number): number => Math.floor((at + HOUR) / DAY) - Math.floor((START + HOUR) / DAY);

function doneOf({ acts, endedAt }: Played): Record<string, number> {
  const perDay = Array.from({ length: HORIZON + 1 }, () => new Map<string, number>());
  for (const { at, kind } of acts) perDay[dayOf(at)]?.set(kind, (perDay[dayOf(at)]?.get(kind) ?? 0) + 1);
  return figures(perDay, dayOf(endedAt) + 1);
}

function toldOf({ perDay }: Forecast): Record<string, number> {
  const kinds = perDay.map((day) => new Map(Object.entries(day.actionsByKind)));
  return figures(kinds, perDay.length);
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

describe('forecast: with the rates of a seed it tells what the simulated campaign does', function () {
  this.timeout(60_000 + SEEDS * 60_000);

  it(`within 10 % at the median of ${SEEDS} seeds`, async () => {
    const errors = new Map<string, number[]>();
    for (let index = 0; index < SEEDS; index++) {
      const seed = `forecast-${index}`;
      const given = caseOf(seed);
      const played = await simulate(seed, given);
      const done = doneOf(played);
      const told = toldOf(foretell(given, played));
      if (process.env['FORECAST_TELL']) console.log(seed, given, done, told);
      for (const [name, value] of Object.entries(done)) {
        const error = Math.abs((told[name] ?? 0) - value) / Math.max(1, value);
        errors.set(name, [...(errors.get(name) ?? []), error]);
      }
    }
    for (const [name, all] of errors) {
      console.log(`      ${name}: ${(100 * median(all)).toFixed(1)} % off`);
    }
    for (const [name, all] of errors) expect(median(all), name).to.be.at.most(SMALL ? 0.2 : 0.1);
  });
});
