import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Noted } from '../../cmd/sandbox/outside/book.ts';
import { sleepReal } from '../../pkg/base/clock.ts';
import { Sealer } from '../../pkg/base/sealer.ts';
import { enrolLeads } from '../../pkg/store/runs/enrol.ts';
import { API_KEY, Fixture, kill } from '../fixtures/chaos/chaos-fixture.ts';
import { addCampaign, addLead, addWorkflow, addWorkspace } from '../fixtures/engine/rows.ts';
import { KILL_ORDER } from './fault-trace.ts';
import { dice, FULL, tellSeed } from './seed.ts';

const INSTALLATION = 'an installation key of at least 32 characters';
const CREDITS = 10_000;
/** Leads that are enriched, and as many that are pushed: where each point is met, and where kills come at random. */
const EACH = 5;
const MANY = 400;
const KILLS = 100;
/** Longest time from one random kill to the next, real ms. */
const BETWEEN_MS = 800;
/** Credits that a phone costs. */
const PHONE = 8;
const addressOf = (ws: string, index: number): string => `pushed-${index}@${ws}.example`;

describe('chaos: calls of nodes', function () {
  this.timeout(FULL ? 1_800_000 : 180_000);
  let fixture: Fixture;
  before(async () => {
    fixture = await Fixture.open();
    fixture.executorEnv = {
      OUTRIDER_SECRETS_KEY: INSTALLATION,
      ENRICHMENT_PDL_URL: `${fixture.sandbox.url}/outside/pdl`,
      ENRICHMENT_PDL_KEY: API_KEY,
    };
    await fixture.clock.setSpeed(120);
  });
  afterEach(tellSeed);
  after(() => fixture.close());

  /** A workspace with leads that are enriched for credits, and others that are pushed into a CRM. */
  async function enrolled(each: number): Promise<string> {
    const ws = await addWorkspace(fixture.app);
    const camp = await addCampaign(fixture.app, ws);
    const integrationId = `int-${randomUUID().slice(0, 8)}`;
    const sealed = new Sealer(INSTALLATION).seal(JSON.stringify({ token: API_KEY }), `integration:${integrationId}`);
    await fixture.app.tx({ kind: 'platform' }, async (tx) => {
      await tx.exec(
        `insert into integration (id, workspace_id, provider, kind, url, sealed, created_at) values ($1, $2, 'hubspot', 'crm', $3, $4, 1)`,
        [integrationId, ws, `${fixture.sandbox.url}/outside/hubspot`, sealed],
      );
      await tx.rows(`select app.move_credits($1, 'grant', $2, 'first', 1, 'test', null, 'test')`, [ws, CREDITS]);
    });
    const single = (nodeType: string, config: object): Promise<string> =>
      addWorkflow(fixture.app, ws, camp, { nodes: [{ nodeType, config }], edges: [] });
    const enrich = await single('lead:enrich', { fields: ['phone'] });
    const push = await single('crm:push', { integrationId });
    const now = fixture.clock.now();
    for (let index = 0; index < each; index++) {
      const asked = await addLead(fixture.app, ws, { email: `asked-${index}@${ws}.example` });
      const pushed = await addLead(fixture.app, ws, { email: addressOf(ws, index) });
      await fixture.app.tx({ kind: 'workspaces', ids: [ws] }, async (tx) => {
        for (const [workflowId, leadId] of [
          [enrich, asked],
          [push, pushed],
        ] as const) {
          const leads = [{ leadId, runId: randomUUID() }];
          await enrolLeads(tx, { workspaceId: ws, workflowId, now, leads, source: 'trigger' });
        }
      });
    }
    return ws;
  }

  const states = async (ws: string): Promise<string[]> =>
    (await fixture.query<{ state: string }>('select state from run where workspace_id = $1', [ws])).map(
      (run) => run.state,
    );

  it(`killed at each of ${KILL_ORDER.length} points of the calls' ledger: what was asked is charged once, what was pushed stands there once`, async () => {
    const ws = await enrolled(EACH);
    // A lost answer now and then keeps something to look up.
    await fixture.steer('POST', 'faults', [{ action: 'hubspot', kind: 'lost_answer', rate: 0.3 }]);
    for (const point of KILL_ORDER) {
      const killed = fixture.executor({ workspace: ws }, 'pod-1', { faultPoint: `${point}:SIGKILL` });
      await fixture.until(`it is killed at ${point}`, async () => killed.signalCode === 'SIGKILL');
    }
    await fixture.steer('POST', 'faults', []);
    await judge(ws, EACH);
  });

  if (FULL) {
    it(`killed ${KILLS} times at random among ${2 * MANY} calls, services that fail and lose answers: charged once, pushed once`, async () => {
      const random = dice('calls');
      const ws = await enrolled(MANY);
      await fixture.steer('POST', 'faults', [
        { action: 'hubspot', kind: 'lost_answer', rate: 0.1 },
        { action: 'hubspot', kind: 'slow', rate: 0.5, ms: 80 },
        { action: 'hubspot', kind: 'error', rate: 0.05 },
        { action: 'pdl', kind: 'lost_answer', rate: 0.1 },
        { action: 'pdl', kind: 'slow', rate: 0.5, ms: 80 },
      ]);
      const executor = fixture.supervise({ workspace: ws }, 'pod-1');
      for (let kills = 0; kills < KILLS; kills++) {
        await sleepReal(random() * BETWEEN_MS);
        executor.kill('SIGKILL');
      }
      await executor.stop('SIGKILL');
      await fixture.steer('POST', 'faults', []);
      // What is tried again waits for minutes and hours.
      await fixture.clock.setSpeed(1_500);
      await judge(ws, MANY, 600_000);
    });
  }

  /** Lets all come to their end: what was asked for is charged once, and what was pushed stands there once. */
  async function judge(ws: string, each: number, limitMs?: number): Promise<void> {
    const next = fixture.executor({ workspace: ws }, 'pod-1');
    await fixture.until(
      'all runs end',
      async () => (await states(ws)).every((state) => state === 'completed'),
      limitMs,
    );
    await kill(next, 'SIGKILL');
    const [credits] = await fixture.query('select balance, held from credit_balance where workspace_id = $1', [ws]);
    expect(credits).to.deep.equal({ balance: CREDITS - PHONE * each, held: 0 });
    const noted = (await (await fetch(`${fixture.sandbox.url}/_sandbox/outside`)).json()) as Noted[];
    const pushes = noted.filter(
      (one) => one.service === 'hubspot' && one.action === 'create contacts' && one.about.endsWith(`@${ws}.example`),
    );
    const all = Array.from({ length: each }, (_, index) => addressOf(ws, index));
    expect(pushes.map((one) => one.about).sort()).to.deep.equal(all.sort());
  }
});
