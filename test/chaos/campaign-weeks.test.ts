import { expect } from 'chai';
import { EXECUTOR_MODES, type ExecutorMode } from '../../pkg/domain/executor-mode.ts';
import { openOutside } from '../../pkg/engine/calls/outside.ts';
import type { AiWriter } from '../../pkg/providers/ai/ai-writer.ts';
import { change, query } from '../fixtures/engine/harness.ts';
import type { GraphInput } from '../fixtures/engine/rows.ts';
import { chain, DAY, HOUR, message } from '../fixtures/engine/workflow-fixture.ts';
import { type Bounds, crowded, overBudget, tooNear, twice } from '../simulation/judge.ts';
import { SimulatedNetwork } from '../simulation/simulated-network.ts';
import { type Person, World } from '../simulation/world.ts';
import { dice, FULL, SEED, tellSeed, times } from './seed.ts';

/** A Monday; 13 weeks later summer time has begun. */
const START = Date.UTC(2026, 1, 2, 6);
const WEEKS = times(2, 13);
const WORKSPACES = times(2, 4);
const CAMPAIGNS = times(1, 16);
const ROUNDS = times(1, 3);
const LIMITS = {
  profile_view: { day: 20 },
  connection_request: { day: 12, week: 50 },
  message: { day: 20, week: 90 },
  follow: { day: 9 },
};
const ZONES = ['Europe/Berlin', 'America/New_York', 'Europe/London'];
const OFFICE = { timezoneMode: 'account' as const, days: [1, 2, 3, 4, 5], startHour: 9, endHour: 18 };
const CREDITS = 1_000_000;

/** Writes the same text for everybody; each costs credits. */
function writer(count: () => void): AiWriter {
  const { writer: template } = openOutside({}, undefined);
  return {
    name: 'simulated',
    billable: true,
    writePlaybook: (facts) => template.writePlaybook(facts),
    classify: (text, at, signal) => template.classify(text, at, signal),
    judge: (question, signal) => template.judge(question, signal),
    craft: () => {
      count();
      const text = { subject: null, text: 'crafted', facts: [], flags: [], language: 'en' as const };
      return Promise.resolve({ kind: 'written' as const, text });
    },
  };
}

/** Texts name their campaign, so that nobody may get one twice. */
function graph(name: string, version: number): GraphInput {
  const nodes = chain(
    { nodeId: 'view', nodeType: 'network:profile_view' },
    { nodeId: 'ask', nodeType: 'network:connection_request' },
    { nodeId: 'accepted', nodeType: 'network:wait_connection', config: { timeoutMs: 10 * DAY } },
    { nodeId: 'craft', nodeType: 'ai:craft', config: { channel: 'message', requireFacts: 0 } },
    { nodeId: 'one', ...message(`${name} one {{lead:firstName}}`) },
    { nodeId: 'reply', nodeType: 'network:wait_reply', config: { timeoutMs: 5 * DAY } },
    ...(version > 1 ? [{ nodeId: 'follow', nodeType: 'network:follow' }] : []),
    { nodeId: 'two', ...message(`${name} two {{lead:firstName}}`) },
  );
  const edges = nodes.edges.map((edge) => {
    const branch = { 2: 'accepted', 5: 'timed_out' }[edge.sourceIndex];
    return branch ? { ...edge, branch } : edge;
  });
  return { nodes: nodes.nodes, edges: [...edges, { sourceIndex: 1, targetIndex: 4, branch: 'already_connected' }] };
}

interface Campaign {
  ws: string;
  camp: string;
  flow: string;
  name: string;
  people: Person[];
}

/** One simulated quarter of an agency; every account works for two workspaces. */
class Agency {
  readonly world: World;
  readonly campaigns: Campaign[] = [];
  readonly random: () => number;
  readonly deeds: string[] = [];
  crafted = 0;

  private constructor(world: World, seed: string) {
    this.world = world;
    this.random = dice('deeds', seed);
  }

  static async open(seed: string, mode: ExecutorMode): Promise<Agency> {
    const world = await World.open(seed, START, (clock) => new SimulatedNetwork(clock, seed), DAY, mode);
    const agency = new Agency(world, seed);
    world.network.faults = { lost: 0.02, vanished: 0.02, unavailable: 0.03 };
    world.faults = () => (agency.random() < 0.01 ? Promise.reject(new Error('the executor dies')) : Promise.resolve());
    world.outside = { ...openOutside({}, undefined), writer: writer(() => agency.crafted++) };
    const workspaces: string[] = [];
    for (let index = 0; index < WORKSPACES; index++) workspaces.push(await world.workspace(CREDITS));
    for (const [index, ws] of workspaces.entries()) {
      const other = workspaces[(index + 1) % WORKSPACES] ?? ws;
      const timezone = ZONES[index % ZONES.length] ?? 'UTC';
      await world.account([ws, other], { timezone, hours: OFFICE, limits: LIMITS, shares: [0.5, 0.2] });
    }
    for (const ws of workspaces) for (let index = 0; index < CAMPAIGNS; index++) await agency.#campaign(ws, index);
    return agency;
  }

  async #campaign(ws: string, index: number): Promise<void> {
    const { world } = this;
    const settings = { businessHours: { ...OFFICE, timezoneMode: index % 2 ? 'lead' : 'account' } };
    const camp = await world.campaign(ws, settings);
    const name = `${ws}-${index}`;
    const flow = await world.workflow(ws, camp, graph(name, 1));
    await change(world.bench, "update workflow set in_flight = 'migrate' where id = $1", [flow]);
    const campaign = { ws, camp, flow, name, people: await world.people(ws, 8, [...ZONES, null]) };
    this.campaigns.push(campaign);
    // They come one by one, through all the weeks; two are known to the campaign before.
    const before = this.campaigns.at(-2)?.people.slice(0, 2) ?? [];
    for (const [workflowFixture, person] of campaign.people.entries()) {
      const at = START + Math.floor(((workflowFixture + this.random()) / 8) * WEEKS * 7 * DAY);
      world.at(at, 'enrol', () => world.enrol(ws, flow, [person, ...(workflowFixture === 5 ? before : [])]));
    }
  }

  /** What people do meanwhile, at any hour. */
  plan(): void {
    const kinds: Record<string, (one: Campaign) => Promise<unknown>> = {
      'trigger again': ({ ws, flow, people }) => this.world.enrol(ws, flow, people),
      'start the executor again': ({ ws }) => this.world.start(ws),
      'move back': ({ flow }) => this.#moveBack(flow),
      'edit the graph': (one) => this.#edit(one),
      'pause an account for a week': () => this.#pauseAccount(),
      'lower a limit for a week': () => this.#lowerLimits(),
      'move accounts between senders': (one) => this.#sender(one),
    };
    const names = Object.keys(kinds);
    const count = Math.max(names.length, WEEKS * 6);
    for (let index = 0; index < count; index++) {
      const what = names[index % names.length] ?? '';
      const one = this.campaigns[Math.floor(this.random() * this.campaigns.length)];
      if (!one) continue;
      this.world.at(START + Math.floor(this.random() * WEEKS * 7 * DAY), what, () => {
        this.deeds.push(what);
        return kinds[what]?.(one) ?? Promise.resolve();
      });
    }
  }

  #moveBack(flow: string): Promise<number> {
    return change(
      this.world.bench,
      "update run set node_id = 'view', state = 'waiting', wait_reason = 'duration', due_at = $2, version = version + 1 where workflow_id = $1 and ended_at is null and send_id is null",
      [flow, this.world.now],
    );
  }

  async #edit({ ws, flow, name }: Campaign): Promise<void> {
    const { bench } = this.world;
    const { nodes, edges } = graph(name, 2);
    const stored = nodes.map((node) => ({ config: {}, ...node, label: node.nodeId }));
    await change(
      bench,
      `insert into workflow_graph (workspace_id, workflow_id, version, graph, node_types_version, created_at)
       select $1, $2, graph_version + 1, $3, '1.0.0', 1 from workflow where id = $2`,
      [ws, flow, JSON.stringify({ nodes: stored, edges })],
    );
    await change(bench, 'update workflow set graph_version = graph_version + 1, node_count = 8 where id = $1', [flow]);
    await change(
      bench,
      'update run set due_at = $2 where workflow_id = $1 and ended_at is null and send_id is null and due_at > $2',
      [flow, this.world.now],
    );
  }

  #anAccount(): string {
    return this.world.accounts[Math.floor(this.random() * this.world.accounts.length)] ?? '';
  }

  async #pauseAccount(): Promise<void> {
    const account = this.#anAccount();
    const set = (paused: boolean): Promise<number> =>
      change(this.world.bench, 'update network_account set paused = $2 where id = $1', [account, paused]);
    await set(true);
    this.world.at(this.world.now + 7 * DAY, 'go on', () => set(false));
  }

  async #lowerLimits(): Promise<void> {
    const account = this.#anAccount();
    const set = (limits: object): Promise<number> =>
      change(this.world.bench, 'update network_account set limits = $2 where id = $1', [
        account,
        JSON.stringify(limits),
      ]);
    await set({ ...LIMITS, connection_request: { day: 3, week: 12 }, message: { day: 4 } });
    this.world.at(this.world.now + 7 * DAY, 'raise', () => set(LIMITS));
  }

  /** Another account of the workspace sends from now on: an account replaced. */
  #sender({ ws, flow }: Campaign): Promise<number> {
    return change(
      this.world.bench,
      `update workflow set network_account_ids = array[(select account_id from account_link where workspace_id = $1 order by hashtext(account_id || $3) limit 1)] where id = $2`,
      [ws, flow, String(this.random())],
    );
  }

  /** Weeks in which campaigns had people under way. */
  async weeks(): Promise<number> {
    const rows = await query<{ weeks: number }>(
      this.world.bench,
      'select count(*)::int as weeks from (select distinct campaign_id, generate_series(started_at / $1, coalesce(ended_at, $2) / $1) from run) w',
      [7 * DAY, this.world.now],
    );
    return rows[0]?.weeks ?? 0;
  }
}

async function judge({ world, campaigns, crafted }: Agency): Promise<void> {
  const { acts } = world.network;
  const { bench } = world;
  expect(twice(acts), 'twice').to.deep.equal([]);
  for (const [index, account] of world.accounts.entries()) {
    const own = acts.filter((act) => act.account === account);
    const bounds: Bounds = { timezone: ZONES[index % ZONES.length] ?? 'UTC', hours: OFFICE, limits: LIMITS };
    expect(overBudget(own, bounds), account).to.deep.equal([]);
    // A lead in New York leaves Berlin and London three or four hours.
    expect(crowded(own, 'connection_request', (2 * 12) / 3), account).to.deep.equal([]);
    expect(tooNear(own, { heavy: 120_000, light: 20_000 }), account).to.deep.equal([]);
  }
  const lost = await query(
    bench,
    "select id, state, node_id, wait_reason, due_at from run where ended_at is null and (due_at is null or due_at < $1) and state not in ('paused')",
    [world.now - HOUR],
  );
  expect(lost, 'nobody is lost').to.deep.equal([]);
  const reached = new Set(acts.map((act) => act.publicId));
  const missed = campaigns.flatMap((one) => one.people).filter(({ publicId }) => !reached.has(publicId));
  expect(missed, 'nobody is left out').to.deep.equal([]);
  const [sends] = await query<{ messages: number; open: number }>(
    bench,
    `select count(*) filter (where state = 'confirmed' and action in ('message', 'connection_request'))::int as messages,
       count(*) filter (where state in ('claimed', 'dispatched', 'unknown') and dead_letter_state is null and not maybe)::int as open from send`,
  );
  const seen = acts.filter((act) => act.kind === 'message' || act.kind === 'connection_request').length;
  expect(sends, 'the ledger and the network agree').to.deep.equal({ messages: seen, open: 0 });
  const [credits] = await query<{ spent: number; held: number; texts: number }>(
    bench,
    `select (select sum($1 - balance) from credit_balance)::int as spent, (select sum(held) from credit_balance)::int as held,
       (select count(distinct once_key) from node_call where outcome = 'done')::int as texts`,
    [CREDITS],
  );
  expect(credits?.spent, 'a credit for each text').to.equal(credits?.texts);
  expect(credits?.held).to.equal(0);
  expect(crafted).to.be.greaterThan(0);
}

describe('chaos: an agency for a quarter, in one process', function () {
  this.timeout(FULL ? 3_600_000 : 240_000);
  afterEach(tellSeed);
  let weeks = 0;
  after(() => console.log(`      ${weeks} weeks of campaigns`));

  // A share of it is one round, in the mode that the seed draws.
  const first = Math.floor(dice('mode')() * EXECUTOR_MODES.length);
  for (let round = 0; round < ROUNDS; round++) {
    const mode = EXECUTOR_MODES[(first + round) % EXECUTOR_MODES.length] ?? 'Dedicated';
    it(`executors that die, answers that get lost, and people who change their minds (${round + 1} of ${ROUNDS}, ${mode})`, async () => {
      const agency = await Agency.open(`${SEED}/${round}`, mode);
      try {
        agency.plan();
        await agency.world.play(START + WEEKS * 7 * DAY);
        agency.world.faults = () => Promise.resolve();
        agency.world.network.faults = { lost: 0, vanished: 0, unavailable: 0 };
        await agency.world.play(START + (WEEKS + times(4, 6)) * 7 * DAY);
        weeks += await agency.weeks();
        await judge(agency);
        expect(new Set(agency.deeds).size, 'everything was done').to.equal(7);
      } finally {
        await agency.world.close();
      }
    });
  }
});
