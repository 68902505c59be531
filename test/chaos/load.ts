import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { isDatabaseAway } from '../../pkg/postgres/database-away.ts';
import { enrolLeads } from '../../pkg/store/runs/enrol.ts';
import { API_KEY, type Fixture, type Received } from '../fixtures/chaos/chaos-fixture.ts';
import {
  addAccount,
  addCampaign,
  addLead,
  addMailbox,
  addWorkflow,
  addWorkspace,
  type GraphInput,
  QUIET,
} from '../fixtures/engine/rows.ts';
import { judgeLedgers } from './judge.ts';

const HOUR = 3_600_000;
export const ALWAYS = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };
/** Faults that make outcomes ambiguous; every third action meets one. */
export const HOSTILE = [
  { action: 'message', kind: 'lost_answer', rate: 0.12 },
  { action: 'message', kind: 'late', rate: 0.05, ms: 600 },
  // Shows up just before a look-up may say that it is not there.
  { action: 'message', kind: 'late', rate: 0.05, ms: 1_800 },
  { action: 'message', kind: 'error', rate: 0.05 },
  { action: 'message', kind: 'rate_limit', rate: 0.02, ms: 2_000 },
  { action: 'list', kind: 'error', rate: 0.02 },
  { action: 'message', kind: 'slow', rate: 0.4, ms: 60 },
  { action: 'profile_view', kind: 'slow', rate: 0.4, ms: 60 },
];
/** The same of mail. A server that refuses for good ends what is written to a person; here it asks for patience alone. */
export const HOSTILE_MAIL = [
  { action: 'mail', kind: 'lost_answer', rate: 0.12 },
  { action: 'mail', kind: 'late', rate: 0.05, ms: 600 },
  { action: 'mail', kind: 'late', rate: 0.05, ms: 1_800 },
  { action: 'mail', kind: 'rate_limit', rate: 0.05 },
  { action: 'mail', kind: 'slow', rate: 0.4, ms: 60 },
];
/** One mailbox of so many is on a server that keeps no copy of what it sends. */
const KEEPS_NO_COPY = 4;
/** Credits of a workspace, and what a phone costs: an enrichment of each person, asked for once and charged once. */
const CREDITS = 1_000_000;
const PHONE = 8;
/** Runs that can go on, at least, while strikes last: effects are in flight to the end. */
const BUSY = 30;
/** How often people try to come while strikes meet their connection. */
const TRIES = 10;
/** People that the sandbox takes in one request. */
const AT_ONCE = 500;
/** How fast product time passes when nothing strikes any more: an account rests for five hours after a limit, and what failed waits for its next try. */
const TO_THE_END = 10_000;

export interface LoadOptions {
  people: number;
  accounts: number;
  account?: Parameters<typeof addAccount>[2];
  pauseMs?: number;
  /** Everybody is enriched for credits on the way. */
  credits?: boolean;
  /** Mails from mailboxes of their own instead of messages from accounts. */
  mail?: boolean;
}

/** A node that writes this text to a person. */
export function textNode(channel: 'network' | 'mail', text: string): GraphInput['nodes'][number] {
  return channel === 'mail'
    ? { nodeType: 'mail:send', config: { subject: 'Hello', text } }
    : { nodeType: 'network:message', config: { textMode: 'static', text } };
}

function graph({ pauseMs = HOUR, credits = false, mail = false }: LoadOptions): GraphInput {
  const message = (text: string) => textNode(mail ? 'mail' : 'network', text);
  const nodes = [
    ...(mail ? [] : [{ nodeType: 'network:profile_view' }]),
    ...(credits ? [{ nodeType: 'lead:enrich', config: { fields: ['phone'] } }] : []),
    message('first {{lead:firstName}}'),
    { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: pauseMs } },
    message('second'),
  ];
  return { nodes, edges: nodes.slice(1).map((_, index) => ({ sourceIndex: index, targetIndex: index + 1 })) };
}

/** A workspace under load: connected people, a view and two messages each, and the judge over it. */
export class Load {
  readonly ws: string;
  readonly #fixture: Fixture;
  readonly #flow: string;
  readonly #credits: boolean;
  readonly #mail: boolean;
  #people = 0;

  private constructor(fixture: Fixture, ws: string, flow: string, { credits = false, mail = false }: LoadOptions) {
    this.#fixture = fixture;
    this.ws = ws;
    this.#flow = flow;
    this.#credits = credits;
    this.#mail = mail;
  }

  static async start(fixture: Fixture, options: LoadOptions): Promise<Load> {
    const { app } = fixture;
    const { credits, mail } = options;
    const ws = await addWorkspace(app);
    const camp = await addCampaign(app, ws, { businessHours: ALWAYS, contactPolicy: { minDaysBetweenTouches: 0 } });
    for (let index = 0; index < options.accounts; index++) {
      // Where the server keeps no copy, nothing can be looked up: what was under way is a person's to decide.
      const savesSent = index % KEEPS_NO_COPY !== KEEPS_NO_COPY - 1;
      if (mail) await addMailbox(app, ws, { ...fixture.sandbox.mail, savesSent });
      else await addAccount(app, [ws], options.account);
    }
    if (credits) {
      fixture.executorEnv = { ENRICHMENT_PDL_URL: `${fixture.sandbox.url}/outside/pdl`, ENRICHMENT_PDL_KEY: API_KEY };
      await fixture.query(`select app.move_credits($1, 'grant', $2, 'first', 1, 'test', null, 'test')`, [ws, CREDITS]);
    }
    const load = new Load(fixture, ws, await addWorkflow(app, ws, camp, graph(options)), options);
    await load.enrol(options.people);
    return load;
  }

  /** Everybody who came. */
  get people(): number {
    return this.#people;
  }

  /** More people begin. */
  async enrol(count: number): Promise<void> {
    for (let left = count; left > 0; left -= AT_ONCE) await this.#enrol(Math.min(left, AT_ONCE));
  }

  async #enrol(count: number): Promise<void> {
    const { app, clock } = this.#fixture;
    const people = Array.from({ length: count }, () => ({
      publicId: `l-${randomUUID().slice(0, 8)}`,
      behaviour: 'connected',
    }));
    await this.#fixture.steer('POST', 'people', people);
    const address = (publicId: string): string => `${publicId}@load.example`;
    for (const { publicId } of this.#mail ? people : [])
      await this.#fixture.steer('POST', 'mail-people', { address: address(publicId), behaviour: QUIET });
    const leads: { leadId: string; runId: string }[] = [];
    for (const { publicId } of people) {
      const id = randomUUID();
      const lead = { id, profileId: publicId, firstName: `L${this.#people++}`, email: address(publicId) };
      await this.#surely('lead', id, () => addLead(app, this.ws, lead));
      leads.push({ leadId: id, runId: randomUUID() });
    }
    const enrolment = { workspaceId: this.ws, workflowId: this.#flow, leads, source: 'trigger' as const };
    await this.#surely('run', leads[0]?.runId ?? '', () =>
      app.tx({ kind: 'workspaces', ids: [this.ws] }, (tx) => enrolLeads(tx, { ...enrolment, now: clock.now() })),
    );
  }

  /** Does it again when a strike met its connection, unless the row it makes is there. */
  async #surely(table: 'lead' | 'run', id: string, work: () => Promise<unknown>): Promise<void> {
    for (let tries = 1, there = false; !there; tries++) {
      try {
        await work();
        return;
      } catch (error) {
        if (!isDatabaseAway(error) || tries === TRIES) throw error;
      }
      there = (await this.#answer(`select 1 from ${table} where id = $1`, [id])).length > 0;
    }
  }

  /** Runs that have not ended and wait for no person. An outage of the database counts as all. */
  async live(): Promise<number> {
    const rows = await this.#fixture
      .query<{ n: number }>(
        `select count(*)::int as n from run r where workspace_id = $1 and ended_at is null
           and not exists (select 1 from send s where s.id = r.send_id and s.dead_letter_state = 'open')`,
        [this.ws],
      )
      .catch(() => [{ n: this.people }]);
    return rows[0]?.n ?? 0;
  }

  /** Lets more people in when few can go on, that is wait neither for a person, nor for the outcome of a send, nor for its next try. */
  async keepBusy(refill: number): Promise<void> {
    const [able] = await this.#answer<{ n: number }>(
      `select count(*)::int as n from run where workspace_id = $1 and ended_at is null and coalesce(wait_reason, '') not in ('unknown_outcome', 'account_unhealthy')`,
      [this.ws],
    );
    if ((able?.n ?? 0) < BUSY) await this.enrol(refill);
  }

  /** Asked until the database answers. */
  #answer<T>(text: string, values: unknown[]): Promise<T[]> {
    return this.#fixture.untilFound('the database answers', () =>
      this.#fixture.query<T>(text, values).catch(() => undefined),
    );
  }

  /** Where it stands, for people. */
  async text(): Promise<string> {
    const rows = await this.#fixture.query<{ why: string; n: number }>(
      `select coalesce(end_reason, wait_reason, state) as why, count(*)::int as n from run where workspace_id = $1 group by 1 order by 1`,
      [this.ws],
    );
    return `${this.people} people: ${rows.map(({ why, n }) => `${why} ${n}`).join(', ')}`;
  }

  /** The workspace's present epoch; an outage of the database says 0. */
  async epoch(): Promise<number> {
    const rows = await this.#fixture
      .query<{ epoch: number }>(`select epoch::float8 as epoch from claim where kind = 'workspace' and key = $1`, [
        this.ws,
      ])
      .catch(() => []);
    return rows[0]?.epoch ?? 0;
  }

  /** Whether an effect is between its claim and its settlement, one of a later epoch or claimed at `since` (product time) or later. */
  async inFlight({ afterEpoch = 0, since = 0 }: { afterEpoch?: number; since?: number } = {}): Promise<boolean> {
    const rows = await this.#fixture
      .query(
        `select 1 from send where workspace_id = $1 and state in ('claimed', 'dispatched') and epoch > $2 and claimed_at >= $3 limit 1`,
        [this.ws, afterEpoch, since],
      )
      .catch(() => []);
    return rows.length > 0;
  }

  /** Lets all come to their end, once nothing strikes any more; answers go on getting lost. */
  async ended(limitMs?: number): Promise<void> {
    await this.#fixture.clock.setSpeed(TO_THE_END);
    await this.#fixture.until('all runs end', async () => (await this.live()) === 0, limitMs);
  }

  /** Both ledgers against each other, nobody lost, credits exact. @throws AssertionError */
  async judge(): Promise<Received[]> {
    const { received, text } = await judgeLedgers(this.#fixture, this.ws);
    console.log(`      ${text}`);
    const lost = await this.#fixture.query(
      `select r.id, r.state, r.end_reason, r.node_id from run r where workspace_id = $1 and r.state <> 'completed'
         and not exists (select 1 from send s where s.id = r.send_id and s.dead_letter_state = 'open')`,
      [this.ws],
    );
    expect(lost, 'the one who has no dead letter came to the end').to.deep.equal([]);
    const messages = await this.#fixture.query(
      `select r.id, count(s.id)::int as n from run r left join send s on s.run_id = r.id and s.action in ('message', 'mail') and s.state = 'confirmed'
       where r.workspace_id = $1 and r.state = 'completed' group by r.id having count(s.id) <> 2`,
      [this.ws],
    );
    expect(messages, 'the one who came to the end got both messages').to.deep.equal([]);
    const [runs] = await this.#fixture.query<{ n: number }>(
      'select count(*)::int as n from run where workspace_id = $1',
      [this.ws],
    );
    expect(runs?.n, 'everybody who came is there').to.equal(this.people);
    if (this.#credits) await this.#judgeCredits();
    return received;
  }

  async #judgeCredits(): Promise<void> {
    const [credits] = await this.#fixture.query(
      'select balance::int, held::int from credit_balance where workspace_id = $1',
      [this.ws],
    );
    const free = await this.#fixture.query(
      `select state, outcome, error, tries, dead_letter_state, epoch::int from node_call where workspace_id = $1 and credits = 0 limit 20`,
      [this.ws],
    );
    const why = `credits; calls that were not charged: ${JSON.stringify(free)}`;
    expect(credits, why).to.deep.equal({ balance: CREDITS - PHONE * this.people, held: 0 });
  }
}
