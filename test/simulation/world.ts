import { createHash, randomUUID } from 'node:crypto';
import { createLogger } from '../../pkg/base/log.ts';
import type { ExecutorMode } from '../../pkg/domain/executor-mode.ts';
import type { Outside } from '../../pkg/engine/calls/outside.ts';
import { type FaultHook, noFaults } from '../../pkg/engine/fault-points.ts';
import { FIRST_LOOKUP_MS } from '../../pkg/engine/ledger/send-outcome.ts';
import { PromiseKeeper } from '../../pkg/engine/loop/promise-keeper.ts';
import { syncAccount } from '../../pkg/engine/sync/account-sync.ts';
import { recoverCalls } from '../../pkg/store/calls/node-calls.ts';
import { recoverSends } from '../../pkg/store/ledger/ledger.ts';
import { type Enrolment, enrolLeads } from '../../pkg/store/runs/enrol.ts';
import {
  type Bench,
  change,
  type EngineHandle,
  openBench,
  openEngine,
  poolShare,
  query,
  takeLease,
} from '../fixtures/engine/harness.ts';
import {
  addAccount,
  addCampaign,
  addLead,
  addWorkflow,
  addWorkspace,
  type GraphInput,
} from '../fixtures/engine/rows.ts';
import type { SimulatedNetwork } from './simulated-network.ts';

const HOUR = 3_600_000;

export interface Person {
  leadId: string;
  publicId: string;
  timezone: string | null;
}

/** Something that happens at a time of the simulation. */
export interface Deed {
  at: number;
  what: string;
  do(): Promise<unknown>;
}

/**
 * The whole engine in one process: a real database, everything else is a parameter. The clock jumps from one due moment to
 * the next, ids come from the seed, so that the same seed gives the same campaign.
 */
export class World {
  readonly bench: Bench;
  readonly seed: string;
  readonly network: SimulatedNetwork;
  readonly engines = new Map<string, EngineHandle>();
  readonly accounts: string[] = [];
  /** Where executors die; production passes one that does nothing. */
  faults: FaultHook = noFaults;
  outside: Outside | undefined;
  #crashed = false;
  readonly #deeds: Deed[] = [];
  readonly #syncEveryMs: number;
  #ids = 0;
  #nextSync: number;

  private constructor(bench: Bench, seed: string, network: SimulatedNetwork, syncEveryMs: number) {
    this.bench = bench;
    this.seed = seed;
    this.network = network;
    this.#syncEveryMs = syncEveryMs;
    this.#nextSync = bench.clock.now() + syncEveryMs;
  }

  static async open(
    seed: string,
    start: number,
    network: (clock: Bench['clock']) => SimulatedNetwork,
    syncEveryMs = 12 * HOUR,
    mode: ExecutorMode = 'Dedicated',
  ): Promise<World> {
    const bench = await openBench();
    if (mode === 'Pooled') bench.pool = poolShare(bench.executor);
    await bench.clock.advance(start - bench.clock.now());
    return new World(bench, seed, network(bench.clock), syncEveryMs);
  }

  get now(): number {
    return this.bench.clock.now();
  }

  /** A UUID that the seed decides. */
  id(): string {
    const hex = createHash('sha256')
      .update(`${this.seed}/${this.#ids++}`)
      .digest('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }

  async workspace(credits = 0): Promise<string> {
    const ws = await addWorkspace(this.bench.app, { id: `ws-${this.engines.size}` });
    if (credits > 0)
      await query(this.bench, `select app.move_credits($1, 'grant', $2, $3, 1, 'test', null, 'test')`, [
        ws,
        credits,
        this.id(),
      ]);
    await this.start(ws);
    return ws;
  }

  /** Starts an executor of the workspace, or starts it again as a Pod's restart does: with a new epoch. */
  async start(ws: string): Promise<void> {
    this.engines.get(ws)?.deps.claim.stop();
    const faults: FaultHook = async (point, sendId) => {
      try {
        await this.faults(point, sendId);
      } catch (error) {
        this.#crashed = true;
        throw error;
      }
    };
    const { outside } = this;
    const handle = await openEngine(this.bench, ws, this.network, { faults, ...(outside ? { outside } : {}) });
    this.engines.set(ws, handle);
    await handle.deps.claim.tx(async (tx) => {
      await recoverSends(tx, this.now, FIRST_LOOKUP_MS);
      await recoverCalls(tx, this.now);
    });
  }

  async account(workspaces: string[], options: Parameters<typeof addAccount>[2]): Promise<string> {
    const id = await addAccount(this.bench.app, workspaces, { id: `acc-${this.accounts.length}`, ...options });
    this.accounts.push(id);
    return id;
  }

  campaign(ws: string, settings: object): Promise<string> {
    return addCampaign(this.bench.app, ws, settings, `camp-${this.id()}`);
  }

  workflow(ws: string, camp: string, graph: GraphInput): Promise<string> {
    return addWorkflow(this.bench.app, ws, camp, graph, `wf-${this.id()}`);
  }

  async people(ws: string, count: number, zones: readonly (string | null)[] = [null]): Promise<Person[]> {
    const made: Person[] = [];
    for (let index = 0; index < count; index++) {
      const id = this.id();
      const person = { leadId: id, publicId: `p-${id}`, timezone: zones[index % zones.length] ?? null };
      await addLead(this.bench.app, ws, { id, profileId: person.publicId });
      if (person.timezone)
        await change(this.bench, 'update lead set timezone = $2 where id = $1', [id, person.timezone]);
      made.push(person);
    }
    return made;
  }

  enrol(ws: string, flow: string, people: readonly Person[]): Promise<Enrolment[]> {
    return this.bench.app.tx({ kind: 'workspaces', ids: [ws] }, (tx) =>
      enrolLeads(tx, {
        workspaceId: ws,
        workflowId: flow,
        now: this.now,
        leads: people.map(({ leadId }) => ({ leadId, runId: this.id() })),
        source: 'trigger',
      }),
    );
  }

  at(at: number, what: string, deed: () => Promise<unknown>): void {
    this.#deeds.push({ at, what, do: deed });
    this.#deeds.sort((a, b) => a.at - b.at);
  }

  /** Lets time pass, from one due moment to the next; false when nothing is left to wait for. */
  async play(until: number): Promise<boolean> {
    for (;;) {
      const due = await this.#due();
      const runs = Math.min(...due.map((one) => one.at), Number.POSITIVE_INFINITY);
      const deed = this.#deeds[0]?.at ?? Number.POSITIVE_INFINITY;
      const next = Math.max(this.now, Math.min(runs, deed, Number.isFinite(runs) ? this.#nextSync : runs));
      if (!Number.isFinite(next)) return false;
      await this.bench.clock.advance(Math.min(next, until) - this.now);
      if (next >= until) return true;
      for (let first = this.#deeds[0]; first && first.at <= next; first = this.#deeds[0]) {
        this.#deeds.shift();
        await first.do();
      }
      if (next >= this.#nextSync) await this.#sync();
      const ready = new Set((await this.#due()).filter((one) => one.at <= next).map((one) => one.ws));
      for (const [ws, engine] of this.engines) if (ready.has(ws)) await this.#work(ws, engine);
    }
  }

  async #work(ws: string, engine: EngineHandle): Promise<void> {
    if (await this.#died(ws, engine.quiet())) return;
    const unknown = await query(
      this.bench,
      "select 1 from send where workspace_id = $1 and state = 'unknown' limit 1",
      [ws],
    );
    if (unknown.length > 0) await this.#died(ws, this.lookUp(engine));
  }

  /** Whether an executor died at its work; another one has started then. */
  async #died(ws: string, work: Promise<unknown>): Promise<boolean> {
    await work.catch((error: unknown) => {
      if (!this.#crashed) throw error;
    });
    if (!this.#crashed) return false;
    this.#crashed = false;
    await this.start(ws);
    return true;
  }

  /** Looks up what is unknown; look-ups wait for real time, tests do not. */
  async lookUp(engine: EngineHandle): Promise<void> {
    for (let round = 0; round < 2; round++) {
      await change(
        this.bench,
        "update send set lookup_after = now() - interval '1 second', dispatched_real = dispatched_real - interval '1 hour' where state = 'unknown'",
      );
      await engine.lookUp();
    }
  }

  #due(): Promise<{ ws: string; at: number }[]> {
    return query(
      this.bench,
      'select workspace_id as ws, min(due_at) as at from run where ended_at is null and due_at is not null group by 1',
    );
  }

  /** Account sync of all accounts, and what executors do every other hour. */
  async #sync(): Promise<void> {
    this.#nextSync = this.now + this.#syncEveryMs;
    for (const accountId of this.accounts) {
      const claim = await takeLease(this.bench, accountId, 'accounts-pod', 'account');
      const log = createLogger('test', 'silent');
      const { clock } = this.bench;
      await syncAccount({ claim, clock, providers: () => this.network, newId: () => randomUUID(), log });
      await claim.release();
    }
    for (const engine of this.engines.values()) await new PromiseKeeper(engine.deps).keep();
  }

  close(): Promise<void> {
    return this.bench.close();
  }
}
