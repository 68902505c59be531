import type { BusinessHours } from '../../../pkg/domain/business-hours.ts';
import { seededRandom } from '../../../pkg/domain/random.ts';
import type { FaultHook } from '../../../pkg/engine/fault-points.ts';
import { FIRST_LOOKUP_MS } from '../../../pkg/engine/ledger/send-outcome.ts';
import { PromiseKeeper } from '../../../pkg/engine/loop/promise-keeper.ts';
import { feedSources } from '../../../pkg/engine/sources/feeder.ts';
import { syncAccount } from '../../../pkg/engine/sync/account-sync.ts';
import { GraphCache } from '../../../pkg/engine/walk/graph-cache.ts';
import { recoverCalls } from '../../../pkg/store/calls/node-calls.ts';
import { recoverSends } from '../../../pkg/store/ledger/ledger.ts';
import { planIdle } from '../../../pkg/store/runs/plan-idle.ts';
import { type EngineHandle, openEngine, takeLease } from '../../fixtures/engine/harness.ts';
import type { GraphInput } from '../../fixtures/engine/rows.ts';
import { enqueueFound } from '../../tools/enqueue-found.ts';
import { workspaceKey } from '../../tools/tool-calls.ts';
import type { Act } from '../simulated-network.ts';
import { graphOf, type Means, reaching } from './any-graph.ts';
import type { Life } from './any-life.ts';
import { ModelNetwork } from './model-network.ts';
import { idsOf, type ModelWorld, type Office, silent } from './model-world.ts';
import { type Standing, wrongStanding } from './standing.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
export const ZONES = ['Europe/Berlin', 'America/New_York', 'Europe/London', 'Asia/Kolkata'];
const ALWAYS: BusinessHours = { timezoneMode: 'account', days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24 };
const OFFICE: BusinessHours = { timezoneMode: 'account', days: [1, 2, 3, 4, 5], startHour: 9, endHour: 18 };
export const LIMITS = {
  profile_view: { day: 20 },
  connection_request: { day: 12, week: 50 },
  connection_request_with_note: { day: 12, week: 50 },
  message: { day: 20, week: 90 },
  inmail: { day: 5 },
};
export const TIGHT = {
  ...LIMITS,
  connection_request: { day: 1, week: 3 },
  message: { day: 1, week: 4 },
  profile_view: { day: 1 },
};

/** A person of a life, as the system knows them. */
export interface ModelLead {
  leadId: string;
  name: string;
  publicId: string | null;
  email: string | null;
  zone: string | null;
}

/** A graph that a workflow has or had. */
export interface Version {
  flow: string;
  graph: GraphInput;
}

/** From and to (exclusive; null: for ever) which act nobody may be reached, and who. */
export interface Barrier {
  why: string;
  from: { act: number; mail: number };
  to: { act: number; mail: number } | null;
  /** Null: everybody. */
  lead: ModelLead | null;
  channel?: 'network' | 'mail';
  /** Only by this account. */
  account?: string;
  /** Only of texts that begin so. */
  tag?: string;
}

/** A line of the sandbox's ledger. */
interface Received {
  seq: number;
  at: string;
  accountId: string;
  kind: string;
  target: string;
  text: string | null;
}

/** Plays a life: time passes from one due moment to the next, and what its deeds say is done meanwhile. */
export class LifePlayer {
  readonly world: ModelWorld;
  readonly life: Life;
  readonly office: Office;
  readonly network: ModelNetwork;
  readonly random: () => number;
  leads: ModelLead[] = [];
  campaignId = '';
  flow = '';
  next = '';
  readonly versions: Version[] = [];
  readonly barriers: Barrier[] = [];
  readonly told: string[] = [];
  /** Drafts that were decided: `way` 0 and 1 approved as they were, 2 edited. */
  readonly decided: { runId: string; body: string; way: number }[] = [];
  /** What the campaign put before people since then, as it was changed. */
  readonly reviewModes: { at: number; mode: string | undefined }[] = [];
  zoneMoved = false;
  /** Leads whose history was erased with them. */
  readonly erased = new Set<string>();
  /** People did something outside of `play`. */
  disturbed = false;
  /** Leads whose time zone was changed. */
  readonly moved = new Set<string>();
  readonly wrong: string[] = [];
  /** Mails that the servers took from the mailbox. */
  readonly mails: { at: number; to: string; text: string }[] = [];
  #handle: EngineHandle | undefined;
  #crashed = false;
  #enrolments = 0;
  mayCrash = false;
  #nextSync = 0;
  #before = new Map<string, Standing>();
  readonly #newId: () => string;

  /** Another workspace that sends through the same accounts; it is played along. */
  neighbour: LifePlayer | null = null;
  /** The workspace that brought the people in first. */
  readonly #home: string;

  constructor(world: ModelWorld, life: Life, office: Office, home: LifePlayer | null = null) {
    this.world = world;
    this.life = life;
    this.office = office;
    this.#home = home?.office.ws ?? office.ws;
    this.network = home?.network ?? new ModelNetwork(world.clock, `model/${life.seed}`);
    this.random = seededRandom('model', life.seed);
    this.#newId = idsOf(`${office.ws}`);
  }

  static async begin(world: ModelWorld, life: Life): Promise<LifePlayer> {
    world.clock.at = life.start;
    const account = {
      timezone: ZONES[life.zone] ?? 'UTC',
      limits: life.tight ? TIGHT : LIMITS,
      hours: life.hours === 'always' ? ALWAYS : OFFICE,
      pacing: life.paced ? null : { maxGapSeconds: 0 },
    };
    const plan = { seed: life.seed, senders: life.second ? (2 as const) : (1 as const) };
    const player = new LifePlayer(world, life, await world.office(account, plan));
    if (life.neighbour !== 'none') {
      const office = await world.office(account, { ...plan, neighbour: player.office });
      player.neighbour = new LifePlayer(world, { ...life, graph: reaching(life.next), deeds: [] }, office, player);
      // The first of the people is theirs before anybody else comes.
      await player.neighbour.#setUp(life.neighbour === 'agency' ? 1 : Number.POSITIVE_INFINITY);
    }
    await player.#setUp();
    return player;
  }

  /** Whether the accounts are another workspace's. */
  get isGuest(): boolean {
    return this.#home !== this.office.ws;
  }

  /** The workspace and its neighbour. */
  get all(): LifePlayer[] {
    return this.neighbour ? [this, this.neighbour] : [this];
  }

  /** What the network saw of this workspace. */
  get acts(): Act[] {
    return this.network.acts.filter((act) => act.by === this.office.ws);
  }

  call<T = Record<string, never>>(name: string, input: object): Promise<T> {
    return this.world.tools.call<T>(name, input, workspaceKey(this.office.ws));
  }

  get zone(): string {
    return ZONES[this.life.zone] ?? 'UTC';
  }

  get now(): number {
    return this.world.now;
  }

  /** @param most how many people it takes */
  async #setUp(most = Number.POSITIVE_INFINITY): Promise<void> {
    const { life, office } = this;
    if (life.credits > 0)
      await this.world.rows(`select app.move_credits($1, 'grant', $2, $3, 1, 'test', null, 'test')`, [
        office.ws,
        life.credits,
        this.#newId(),
      ]);
    await this.#importPeople();
    ({ campaignId: this.campaignId } = await this.call<{ campaignId: string }>('svc_create_campaign', { title: 'T' }));
    await this.call('svc_create_icp', { campaignId: this.campaignId, titles: ['Head of Sales'] });
    await this.call('svc_update_campaign', {
      campaignId: this.campaignId,
      businessHours: this.campaignHours,
      contactPolicy: {
        minDaysBetweenTouches: life.gapDays,
        stopOnReply: life.stopOnReply,
        ...(life.neighbour === 'none' ? {} : { dedupeScope: life.neighbour }),
        stopCompanyOnReply: life.stopCompany,
        maxLeadsPerCompanyPerDay: life.perCompany,
      },
      reviewMode: life.reviewMode,
    });
    const { leadListId } = await this.call<{ leadListId: string }>('svc_create_lead_list', { name: 'L' });
    const known = this.leads.slice(0, 2).map((lead) => lead.leadId);
    if (known.length > 0) await this.call('svc_add_leads_to_list', { leadListId, leadIds: known });
    this.means = { ...office, leadList: leadListId, next: null, start: life.start };
    this.next = await this.#workflow(graphOf(life.next, this.means, `B${office.ws}`));
    this.means = { ...this.means, next: this.next };
    this.flow = await this.#workflow(graphOf(life.graph, this.means, `A${office.ws}`));
    await this.restart();
    await this.enrol(this.leads.slice(0, most));
    const [first] = this.leads;
    if (first)
      await this.world.tools.cluster.db.tx({ kind: 'workspaces', ids: [office.ws] }, (tx) =>
        enqueueFound(tx, {
          workspaceId: office.ws,
          signalAgentId: 'agent',
          workflowId: null,
          now: this.now,
          leads: [{ leadId: first.leadId, rule: 'changed jobs' }],
        }),
      );
    this.#nextSync = this.now + 12 * HOUR;
  }

  means: Means = { leadList: '', crm: '', outreach: '', webhook: '', member: '', next: null, start: 0 };

  get campaignHours(): BusinessHours {
    const { hours } = this.life;
    if (hours === 'lead') return { ...OFFICE, timezoneMode: 'lead', startHour: 8, endHour: 20 };
    return hours === 'office' ? OFFICE : ALWAYS;
  }

  async #workflow(graph: GraphInput): Promise<string> {
    const { workflowId } = await this.call<{ workflowId: string }>('svc_create_workflow', {
      campaignId: this.campaignId,
      name: 'W',
      graph,
    });
    this.versions.push({ flow: workflowId, graph });
    await this.call('svc_update_workflow_status', { workflowId, enabled: true });
    return workflowId;
  }

  csv(spelling: (lead: ModelLead) => string | null = (lead) => lead.publicId): string {
    const rows = this.leads.map((lead, index) => {
      const plan = this.life.leads[index];
      const cells = [
        lead.name,
        lead.email ?? '',
        plan?.company === 0 ? '' : `Firm ${plan?.company} ${this.#home}`,
        spelling(lead) ?? '',
        plan?.title ? 'Head of Sales' : '',
        lead.zone ?? '',
      ];
      return cells.join(',');
    });
    return `Name,Email,Company,LinkedIn,Title,Timezone\n${rows.join('\n')}\n`;
  }

  async #importPeople(): Promise<void> {
    const ws = this.#home;
    const people = this.life.leads.map((plan, index) => ({
      leadId: '',
      name: `P${'abcdefgh'[index]} ${ws}`,
      publicId: plan.profile ? `${ws}-p${index}` : null,
      email: plan.mail ? `p${index}@${ws}-${plan.company}.example` : null,
      zone: plan.zone === 3 ? null : (ZONES[plan.zone] ?? null),
    }));
    this.leads = people;
    await this.call('svc_import_leads_csv', { csv: this.csv() });
    const { leads } = await this.call<{ leads: { leadId: string; fullName: string }[] }>('svc_search_leads', {
      limit: 100,
    });
    const ids = new Map(leads.map((lead) => [lead.fullName, lead.leadId]));
    this.leads = people.flatMap((person) => {
      const leadId = ids.get(person.name);
      return leadId ? [{ ...person, leadId }] : [];
    });
    for (const [index, plan] of this.life.leads.entries()) {
      const { publicId, email } = people[index] ?? {};
      if (publicId) this.network.plan(publicId, plan);
      if (!email) continue;
      const behaviour = {
        bounce: plan.bounce,
        replyText: plan.mailReply,
        replyAfterMs: plan.afterHours * HOUR,
        replyFrom: '',
        newThread: false,
        autoReply: '',
        complains: plan.complains,
      };
      await this.world.control('mail-people', { address: email, behaviour });
    }
  }

  async enrol(leads: readonly ModelLead[]): Promise<void> {
    if (leads.length === 0) return;
    // The one who enrols somebody again means to: product time may have passed, real time has not.
    const idempotencyKey = `${this.flow}-${++this.#enrolments}`;
    const leadIds = leads.map((lead) => lead.leadId);
    await this.call('svc_trigger_workflow', { workflowId: this.flow, leadIds, idempotencyKey });
  }

  /** Starts the executor, or starts it again as a Pod's restart does. */
  async restart(): Promise<void> {
    this.#handle?.deps.claim.stop();
    const faults: FaultHook = () => {
      if (!this.mayCrash || this.random() > 0.03) return Promise.resolve();
      this.#crashed = true;
      return Promise.reject(new Error('the executor dies'));
    };
    const { executor, clock, pool } = this.world;
    const bench = { app: this.world.tools.cluster.db, executor, clock, pool };
    const { outside, mail } = this.world;
    this.#handle = await openEngine(bench, this.office.ws, this.network, { faults, outside, mail });
    await this.#handle.deps.claim.tx(async (tx) => {
      await recoverSends(tx, this.now, FIRST_LOOKUP_MS);
      await recoverCalls(tx, this.now);
    });
  }

  get handle(): EngineHandle {
    if (!this.#handle) throw new Error('there is no executor');
    return this.#handle;
  }

  get at(): { act: number; mail: number } {
    return { act: this.network.acts.length, mail: this.mails.length };
  }

  /** Lets time pass until then; deeds are done at their time. */
  async play(until: number, deeds: readonly { at: number; do: () => Promise<unknown> }[]): Promise<void> {
    const left = [...deeds].sort((a, b) => a.at - b.at);
    let idle = 0;
    for (;;) {
      const due = await this.#soonest();
      idle = due === null && (await this.#allOver()) ? idle + 1 : 0;
      // Nobody is under way, and nobody came with the rounds of two days: what comes next is done by people.
      if (idle > 4) this.#nextSync = Math.max(this.#nextSync, left[0]?.at ?? until);
      const next = Math.max(
        this.now,
        Math.min(due ?? Number.POSITIVE_INFINITY, left[0]?.at ?? Number.POSITIVE_INFINITY, this.#nextSync),
      );
      if (next >= until) {
        this.world.clock.at = until;
        return;
      }
      this.world.clock.at = next;
      let disturbed = this.disturbed;
      this.disturbed = false;
      for (let first = left[0]; first && first.at <= next; first = left[0]) {
        left.shift();
        await this.#readMails();
        await first.do();
        disturbed = true;
      }
      if (next >= this.#nextSync) {
        await this.sync();
        disturbed = true;
      }
      const busy = await this.#busy();
      await this.#workAll();
      // Before it acts a workspace reads what people wrote, and the other one has that news too.
      for (const player of this.all) await player.#look(disturbed || busy.some((other) => other !== player));
    }
  }

  /** Who has something to do now. */
  async #busy(): Promise<LifePlayer[]> {
    const due = await Promise.all(this.all.map((player) => player.#nextDue()));
    return this.all.filter((_player, index) => (due[index] ?? Number.POSITIVE_INFINITY) <= this.now);
  }

  /** What one workspace does may be due for the other at once. */
  async #workAll(): Promise<void> {
    for (let round = 0; round < 20; round++) {
      for (const player of this.all) await player.work();
      const due = this.neighbour ? await this.#soonest() : null;
      if (due === null || due > this.now) return;
    }
    throw new Error('two workspaces never come to rest');
  }

  async #soonest(): Promise<number | null> {
    const due = await Promise.all(this.all.map((player) => player.#nextDue()));
    const known = due.filter((at) => at !== null);
    return known.length === 0 ? null : Math.min(...known);
  }

  async #allOver(): Promise<boolean> {
    const live = await this.world.rows(
      "select 1 from run where workspace_id = any ($1) and ended_at is null and state <> 'paused' limit 1",
      [this.all.map(({ office }) => office.ws)],
    );
    return live.length === 0;
  }

  async #nextDue(): Promise<number | null> {
    const [row] = await this.world.rows<{ at: number | null }>(
      'select min(r.due_at) as at from run r where r.workspace_id = $1 and r.ended_at is null and (r.due_at > $2 or app.flow_stop(r.workspace_id, r.campaign_id, r.workflow_id) is null)',
      [this.office.ws, this.now],
    );
    return row?.at ?? null;
  }

  /** The executor does all that is due; one that dies is followed by another. */
  async work(): Promise<void> {
    this.network.atWork = this.office.ws;
    for (let round = 0; round < 50; round++) {
      if (await this.#died(this.handle.quiet())) continue;
      const unknown = await this.world.rows(
        "select 1 from send where workspace_id = $1 and state = 'unknown' and dead_letter_state is null limit 1",
        [this.office.ws],
      );
      if (unknown.length > 0 && (await this.#died(this.lookUp()))) continue;
      const left = await this.handle.deps.claim.tx((tx) => planIdle(tx, this.now));
      const due = await this.#nextDue();
      if (left.unparked === 0 && (due === null || due > this.now)) return;
    }
    this.wrong.push(`the engine never comes to rest at ${new Date(this.now).toISOString()}`);
    throw new Error('never quiet');
  }

  async #died(work: Promise<unknown>): Promise<boolean> {
    await work.catch((error: unknown) => {
      if (!this.#crashed) throw error;
    });
    if (!this.#crashed) return false;
    this.#crashed = false;
    this.told.push(`${new Date(this.now).toISOString()} the executor died`);
    await this.restart();
    return true;
  }

  /** Looks up what is unknown; look-ups wait for real time, tests do not. */
  async lookUp(): Promise<void> {
    for (let round = 0; round < 2; round++) {
      await this.world.change(
        "update send set lookup_after = now() - interval '1 second', dispatched_real = dispatched_real - interval '1 hour' where state = 'unknown' and workspace_id = $1",
        [this.office.ws],
      );
      await this.handle.lookUp();
    }
  }

  /** What happens beside the due loop: sync of the account and the mailbox, sources, promises. */
  async sync(): Promise<void> {
    const { world, network } = this;
    this.#nextSync = this.now + 12 * HOUR;
    world.tick();
    const bench = { app: world.tools.cluster.db, executor: world.executor };
    await this.#readMails();
    // People answer within days of a mail, and each look opens a connection.
    const writers = this.all.filter(({ mails }) => mails.some((mail) => mail.at > this.now - 6 * DAY));
    const boxes = writers.map(({ office }) => office.box);
    for (const key of [...this.office.accounts, ...boxes]) {
      const claim = await takeLease(bench, key, 'accounts', 'account');
      await syncAccount({
        claim,
        clock: world.clock,
        providers: () => network,
        mail: world.mail,
        newId: this.#newId,
        log: silent,
      });
      await claim.release();
    }
    for (const player of this.all) await player.#round();
  }

  /** What the executor does from time to time. */
  async #round(): Promise<void> {
    this.network.atWork = this.office.ws;
    await this.handle.deps.claim.tx((tx) =>
      feedSources(tx, {
        workspaceId: this.office.ws,
        now: this.now,
        cache: new GraphCache(),
        newId: this.#newId,
        places: new Map(),
      }),
    );
    await new PromiseKeeper(this.handle.deps).keep();
  }

  async #readMails(): Promise<void> {
    const more = await this.world.control<Received[]>(`received?sinceSeq=${this.world.seen}`);
    this.world.seen = more.at(-1)?.seq ?? this.world.seen;
    for (const { office, mails } of this.all) {
      const own = more.filter((one) => one.kind === 'mail' && one.accountId === `${office.box}@agency.example`);
      mails.push(...own.map((one) => ({ at: Date.parse(one.at), to: one.target, text: readable(one.text ?? '') })));
    }
  }

  /** Compares where runs stand with where they stood. */
  async #look(disturbed: boolean): Promise<void> {
    const rows = await this.world.rows<Standing>(
      'select id, lead_id, workflow_id, state, node_id, wait_reason, due_at, ended_at, end_reason, app.flow_stop(workspace_id, campaign_id, workflow_id) as stopped from run where workspace_id = $1',
      [this.office.ws],
    );
    for (const row of rows) this.wrong.push(...wrongStanding(this.#before.get(row.id), row, this.now, disturbed));
    this.#before = new Map(rows.map((row) => [row.id, row]));
    await this.#lookAtDrafts(this.#before, new Date(this.now).toISOString());
  }

  /** Each draft has a run that waits for it, and each run that is in review a draft. */
  async #lookAtDrafts(runs: ReadonlyMap<string, Standing>, at: string): Promise<void> {
    const drafts = await this.world.rows<{ run_id: string; count: number }>(
      "select run_id, count(*)::int as count from review_item where workspace_id = $1 and state = 'pending' group by 1",
      [this.office.ws],
    );
    const pending = new Map(drafts.map((row) => [row.run_id, row.count]));
    for (const [id, count] of pending) {
      const run = runs.get(id);
      const what = `${at} run ${id} at ${run?.node_id} (${run?.state}, ${run?.wait_reason}, ${run?.end_reason})`;
      if (count > 1) this.wrong.push(`${what}: ${count} drafts wait`);
      if (run?.ended_at !== null || !['in_review', 'paused'].includes(run.state))
        this.wrong.push(`${what}: a draft waits for nothing`);
    }
    for (const run of runs.values()) {
      if (run.state === 'in_review' && run.ended_at === null && run.stopped === null && !pending.has(run.id))
        this.wrong.push(`${at} run ${run.id} at ${run.node_id} is in review without a draft`);
    }
  }

  /** What went wrong for ever is over: everybody who can go on does. */
  async finish(): Promise<void> {
    await this.#readMails();
    for (const player of this.all) player.#handle?.deps.claim.stop();
  }

  async readMails(): Promise<void> {
    await this.#readMails();
  }

  barrier(why: string, lead: ModelLead | null, more: Pick<Barrier, 'channel' | 'account' | 'tag'> = {}): void {
    this.barriers.push({ why, lead, from: this.at, to: null, ...more });
  }

  lift(why: string, lead: ModelLead | null = null): void {
    for (const one of this.barriers) if (one.why === why && one.lead === lead && one.to === null) one.to = this.at;
  }
}

/** A mail's text as a person reads it: a line over 76 letters leaves as quoted-printable, with soft breaks in it. */
function readable(text: string): string {
  if (!text.includes('=\r\n')) return text;
  const bytes = text
    .replaceAll('=\r\n', '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
