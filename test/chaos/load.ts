import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { enrolLeads } from '../../pkg/store/enrol.ts';
import { addAccount, addCampaign, addLead, addWorkflow, addWorkspace } from '../integration/engine/fixtures.ts';
import { doubles, type Received, type Stage } from './stage.ts';

const HOUR = 3_600_000;
export const ALWAYS = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };
/** Faults that make outcomes ambiguous; every third action meets one. */
export const HOSTILE = [
  { action: 'message', kind: 'lost_answer', rate: 0.12 },
  { action: 'message', kind: 'late', rate: 0.08, ms: 600 },
  { action: 'message', kind: 'error', rate: 0.05 },
  { action: 'message', kind: 'rate_limit', rate: 0.02, ms: 2_000 },
  { action: 'list', kind: 'error', rate: 0.02 },
  { action: 'message', kind: 'slow', rate: 0.4, ms: 60 },
  { action: 'profile_view', kind: 'slow', rate: 0.4, ms: 60 },
];

interface SendRow {
  id: string;
  action: string;
  state: string;
  maybe: boolean;
  dead_letter_state: string | null;
  evidence: { text: string }[];
}

/** A workspace under load: connected people, a view and two messages each, and the judge over it. */
export class Load {
  readonly ws: string;
  readonly accounts: string[];
  readonly people: number;
  readonly #stage: Stage;

  private constructor(stage: Stage, ws: string, accounts: string[], people: number) {
    this.#stage = stage;
    this.ws = ws;
    this.accounts = accounts;
    this.people = people;
  }

  static async start(
    stage: Stage,
    options: { people: number; accounts: number; account?: Parameters<typeof addAccount>[2]; pauseMs?: number },
  ): Promise<Load> {
    const { app, clock } = stage;
    const ws = await addWorkspace(app);
    const camp = await addCampaign(app, ws, { businessHours: ALWAYS, contactPolicy: { minDaysBetweenTouches: 0 } });
    const accounts: string[] = [];
    for (let index = 0; index < options.accounts; index++) accounts.push(await addAccount(app, [ws], options.account));
    const message = (text: string) => ({ nodeType: 'network:message', config: { textMode: 'static', text } });
    const durationMs = options.pauseMs ?? HOUR;
    const flow = await addWorkflow(app, ws, camp, {
      nodes: [
        { nodeType: 'network:profile_view' },
        message('first {{lead:firstName}}'),
        { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs } },
        message('second'),
      ],
      edges: [0, 1, 2].map((index) => ({ sourceIndex: index, targetIndex: index + 1 })),
    });
    const people = Array.from({ length: options.people }, () => ({
      publicId: `l-${randomUUID().slice(0, 8)}`,
      behaviour: 'connected',
    }));
    await stage.steer('POST', 'people', people);
    const leads: { leadId: string; runId: string }[] = [];
    for (const [index, { publicId }] of people.entries()) {
      const leadId = await addLead(app, ws, { profileId: publicId, firstName: `L${index}` });
      leads.push({ leadId, runId: randomUUID() });
    }
    await app.tx({ kind: 'workspaces', ids: [ws] }, (tx) =>
      enrolLeads(tx, { workspaceId: ws, workflowId: flow, now: clock.now(), leads, source: 'trigger' }),
    );
    return new Load(stage, ws, accounts, options.people);
  }

  /** Runs that have not ended and wait for no person. An outage of the database counts as all. */
  async live(): Promise<number> {
    const rows = await this.#stage
      .query<{ n: number }>(
        `select count(*)::int as n from run r where workspace_id = $1 and ended_at is null
           and not exists (select 1 from send s where s.id = r.send_id and s.dead_letter_state = 'open')`,
        [this.ws],
      )
      .catch(() => [{ n: this.people }]);
    return rows[0]?.n ?? 0;
  }

  /** The workspace's present epoch; an outage of the database says 0. */
  async epoch(): Promise<number> {
    const rows = await this.#stage
      .query<{ epoch: number }>(`select epoch::float8 as epoch from claim where kind = 'workspace' and key = $1`, [
        this.ws,
      ])
      .catch(() => []);
    return rows[0]?.epoch ?? 0;
  }

  /** Whether an effect of a later epoch is between its claim and its settlement. */
  async inFlight(afterEpoch = 0): Promise<boolean> {
    const rows = await this.#stage
      .query(
        `select 1 from send where workspace_id = $1 and state in ('claimed', 'dispatched') and epoch > $2 limit 1`,
        [this.ws, afterEpoch],
      )
      .catch(() => []);
    return rows.length > 0;
  }

  ended(limitMs?: number): Promise<void> {
    return this.#stage.until('all runs end', async () => (await this.live()) === 0, limitMs);
  }

  /**
   * The sandbox's ledger against ours, person by person: nobody twice; each send confirmed, proven to have failed, a
   * harmless maybe, or a dead letter that names its fault; budgets never exceeded.
   */
  async judge(): Promise<Received[]> {
    const received = await this.#stage.received();
    const twice = doubles(received);
    expect(twice, `doubles; ${twice.length > 0 ? await this.#told(twice) : ''}`).to.deep.equal([]);
    const sends = await this.#stage.query<SendRow>('select * from send where workspace_id = $1', [this.ws]);
    const settled = (send: SendRow): boolean =>
      ['confirmed', 'failed'].includes(send.state) ||
      (send.maybe && send.action === 'profile_view') ||
      send.dead_letter_state === 'open';
    expect(
      sends.filter((send) => !settled(send)),
      'sends without a known end',
    ).to.deep.equal([]);
    const dead = sends.filter((send) => send.dead_letter_state === 'open');
    for (const letter of dead) {
      expect(letter.evidence[0]?.text, 'a dead letter names its fault').to.match(
        /killed|lost|timeout|reset|hang up|socket|aborted/,
      );
    }
    const messages = received.filter((one) => one.kind === 'message').length;
    expect(messages, 'messages').to.be.within(2 * this.people - 2 * dead.length, 2 * this.people);
    const over = await this.#stage.query('select * from account_budget where limit_day >= 0 and used[1] > limit_day');
    expect(over, 'budgets').to.deep.equal([]);
    return received;
  }

  /** What our ledger says of people who got something twice: who reads a failure needs it. */
  async #told(twice: readonly string[]): Promise<string> {
    const people = twice.flatMap((key) => /in\/(l-[0-9a-f]+)/.exec(key)?.[1] ?? []);
    const sends = await this.#stage.query(
      `select s.id, s.node_id, s.state, s.outcome, s.error, s.epoch, s.claimed_at, s.dispatched_at, s.dispatched_real, s.settled_at, s.evidence
       from send s join lead l on l.id = s.lead_id where l.profile_id = any ($1) order by s.claimed_at`,
      [people],
    );
    return JSON.stringify(sends);
  }
}
