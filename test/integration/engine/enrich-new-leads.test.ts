import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { FencedError } from '../../../pkg/base/errors.ts';
import type { JsonObject } from '../../../pkg/base/json.ts';
import { enrichCredits } from '../../../pkg/domain/enrichment/enrich-fields.ts';
import { openOutside } from '../../../pkg/engine/calls/outside.ts';
import { SCHEDULE_POINTS } from '../../../pkg/engine/fault-points.ts';
import { ScheduleRounds } from '../../../pkg/engine/schedule/schedule-rounds.ts';
import { CallError } from '../../../pkg/providers/call-error.ts';
import type { Enrichment, EnrichmentProvider } from '../../../pkg/providers/enrichment/enrichment-provider.ts';
import { CHECKS_WITHOUT_DNS } from '../../../pkg/providers/enrichment/mail-checks.ts';
import { moveCredits } from '../../../pkg/store/credits/credits.ts';
import { type LeadPlace, type LeadsAfter, leadsAfter } from '../../../pkg/store/leads/leads-to-enrich.ts';
import { insertSchedule, nextOf } from '../../../pkg/store/schedules/schedules.ts';
import { FakeNetwork } from '../../fixtures/engine/fake-network.ts';
import { type Bench, change, type EngineHandle, openBench, openEngine, query } from '../../fixtures/engine/harness.ts';
import { addCampaign, addLead, addWorkspace } from '../../fixtures/engine/rows.ts';

const HOUR = 3_600_000;
const HOURLY = { kind: 'cron', cron: '0 * * * *', timezone: 'UTC' } as const;
const EMAIL = enrichCredits(['email']);

describe('engine: new leads are enriched by a schedule', function () {
  this.timeout(120_000);
  let bench: Bench;
  let ws: string;
  let camp: string;
  /** Answers by name of the lead; absent: not found. */
  let known: Map<string, () => Promise<Enrichment>>;
  let asked: string[];
  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());
  beforeEach(async () => {
    // Far from a full hour: which times come is no matter of chance.
    await bench.clock.advance(2 * HOUR - (bench.clock.now() % HOUR) + HOUR / 6);
    ws = await addWorkspace(bench.app);
    camp = await addCampaign(bench.app, ws);
    known = new Map();
    asked = [];
    await credits(100);
  });

  const credits = (amount: number): Promise<unknown> =>
    bench.app.tx({ kind: 'platform' }, (tx) =>
      moveCredits(tx, {
        workspaceId: ws,
        kind: amount > 0 ? 'grant' : 'adjust',
        amount,
        reason: '',
        tool: 'test',
        keyPrefix: null,
        idempotencyKey: randomUUID(),
        now: bench.clock.now(),
      }),
    );
  const balance = async (): Promise<{ balance: number; held: number }> => {
    const [row] = await query<{ balance: number; held: number }>(
      bench,
      'select balance, held from credit_balance where workspace_id = $1',
      [ws],
    );
    return { balance: Number(row?.balance), held: Number(row?.held) };
  };
  const provider: EnrichmentProvider = {
    name: 'test',
    fields: ['email', 'phone'],
    find(contact) {
      asked.push(contact.firstName);
      return known.get(contact.firstName)?.() ?? Promise.resolve({});
    },
  };
  const found = (firstName: string): void => {
    known.set(firstName, () => Promise.resolve({ email: `${firstName.toLowerCase()}-${ws}@firm.example` }));
  };
  async function leads(...names: string[]): Promise<void> {
    for (const firstName of names) {
      await bench.clock.advance(1_000);
      const id = await addLead(bench.app, ws, { firstName });
      await change(bench, 'update lead set created_at = $2 where id = $1', [id, bench.clock.now()]);
    }
  }
  async function automation(settings: JsonObject = {}): Promise<string> {
    const id = randomUUID();
    const now = bench.clock.now();
    await bench.app.tx({ kind: 'workspaces', ids: [ws] }, (tx) =>
      insertSchedule(tx, {
        id,
        workspaceId: ws,
        kind: 'enrich_new_leads',
        campaignId: camp,
        name: 'Enrich',
        settings: { fields: ['email'], creditLimit: 1_000, ...settings },
        timing: HOURLY,
        enabled: true,
        ...nextOf(HOURLY, id, now),
        createdAt: now,
      }),
    );
    return id;
  }
  const engine = (options: Parameters<typeof openEngine>[3] = {}): Promise<EngineHandle> =>
    openEngine(bench, ws, new FakeNetwork(), {
      outside: { ...openOutside({}, undefined), enrichment: { providers: [provider], checks: CHECKS_WITHOUT_DNS } },
      ...options,
    });
  /** An hour passes, then all that is due is done. */
  async function play(handle: EngineHandle): Promise<void> {
    const rounds = new ScheduleRounds(handle.deps, { failed: () => undefined, moved: () => undefined });
    for (let run = await rounds.take(); run; run = await rounds.take()) await rounds.work(run);
  }
  const runsOf = (id: string): Promise<{ state: string; result: JsonObject; error: string | null }[]> =>
    query(bench, 'select state, result, error from scheduled_run where schedule_id = $1 order by scheduled_for', [id]);
  const emails = async (): Promise<string[]> =>
    (
      await query<{ first_name: string }>(
        bench,
        'select first_name from lead where workspace_id = $1 and email is not null order by created_at',
        [ws],
      )
    ).map((row) => row.first_name);

  it('each that came since it was made, once; what is found is charged, and the next run goes on behind it', async () => {
    await leads('Old');
    await bench.clock.advance(1_000);
    const id = await automation();
    await leads('Ada', 'Bo', 'Cy');
    for (const name of ['Old', 'Ada', 'Cy', 'Di']) found(name);
    const handle = await engine();
    await bench.clock.advance(HOUR + HOUR / 2);
    await play(handle);
    const first = { leads: 3, enriched: 2, notFound: 1, refused: 0, credits: 2 * EMAIL };
    expect((await runsOf(id))[0]).to.deep.include({ state: 'succeeded', error: null, result: first });
    expect(await balance()).to.deep.equal({ balance: 100 - 2 * EMAIL, held: 0 });
    await leads('Di');
    await bench.clock.advance(HOUR);
    await play(handle);
    expect((await runsOf(id))[1]?.result).to.include({ leads: 1, enriched: 1, credits: EMAIL });
    expect(asked).to.deep.equal(['Ada', 'Bo', 'Cy', 'Di']);
    expect(await emails()).to.deep.equal(['Ada', 'Cy', 'Di']);
  });

  it('never spends more than its limit or than there is, says so, and the next run takes the rest', async () => {
    const id = await automation({ creditLimit: EMAIL });
    await leads('Ada', 'Bo');
    for (const name of ['Ada', 'Bo']) found(name);
    const handle = await engine();
    await bench.clock.advance(HOUR + HOUR / 2);
    await play(handle);
    expect((await runsOf(id))[0]?.result).to.include({
      leads: 1,
      credits: EMAIL,
      ended: 'the limit of credits of a run is reached',
    });
    await credits(-(await balance()).balance);
    await bench.clock.advance(HOUR);
    await play(handle);
    expect((await runsOf(id))[1]?.result).to.include({ leads: 0, ended: 'the workspace has no credits left' });
    await credits(100);
    await bench.clock.advance(HOUR);
    await play(handle);
    expect(await emails()).to.deep.equal(['Ada', 'Bo']);
  });

  it('asks nothing for who is excluded, belongs to another campaign, or has it already', async () => {
    const id = await automation();
    await leads('Ada', 'Bo', 'Cy');
    const other = await addCampaign(bench.app, ws);
    await change(
      bench,
      `insert into campaign_lead (workspace_id, campaign_id, lead_id, added_at) select $1, $2, id, 1 from lead where workspace_id = $1 and first_name = 'Ada'`,
      [ws, other],
    );
    await change(
      bench,
      `update lead set email = first_name || '-' || id || '@x.example' where workspace_id = $1 and first_name = 'Bo'`,
      [ws],
    );
    await change(
      bench,
      `insert into suppression (id, workspace_id, level, kind, value, source, reason, removable, created_by, created_at)
       select gen_random_uuid(), $1, 'workspace', 'profile', profile_id, 'manual', '', true, 'test', 1
       from lead where workspace_id = $1 and first_name = 'Cy'`,
      [ws],
    );
    await bench.clock.advance(HOUR + HOUR / 2);
    await play(await engine());
    expect((await runsOf(id))[0]).to.deep.include({ state: 'succeeded' });
    expect(asked).to.deep.equal([]);
  });

  it('a step looks at a page of leads, however many are excluded, and the run comes past them', async () => {
    const id = await automation();
    const at = bench.clock.now() + 1_000;
    // A file of people of one moment, all of an excluded company.
    await change(
      bench,
      `insert into lead (id, workspace_id, first_name, full_name, company_domain, created_at, updated_at)
       select gen_random_uuid(), $1, 'Ex', 'Ex ' || n, 'excluded.example', $2, $2 from generate_series(1, 250) n`,
      [ws, at],
    );
    await change(
      bench,
      `insert into suppression (id, workspace_id, level, kind, value, source, created_at)
       values (gen_random_uuid(), $1, 'workspace', 'domain', 'excluded.example', 'customer', 1)`,
      [ws],
    );
    await bench.clock.advance(2_000);
    await leads('Ada');
    found('Ada');
    await bench.clock.advance(HOUR + HOUR / 2);
    const handle = await engine();
    const look = (after: LeadPlace): Promise<LeadsAfter> =>
      handle.deps.claim.tx((tx) =>
        leadsAfter(tx, camp, { after, fields: ['email'], now: bench.clock.now(), limit: 100 }),
      );
    const first = await look({ createdAt: at - 1, leadId: randomUUID() });
    expect(first.leads).to.deep.equal([]);
    const [{ n } = { n: 0 }] = await query<{ n: number }>(
      bench,
      'select count(*)::int as n from lead where workspace_id = $1 and created_at = $2 and id >= $3',
      [ws, at, first.last?.leadId],
    );
    expect(n, 'leads of the page').to.equal(100);
    await play(handle);
    expect((await runsOf(id))[0]).to.deep.include({ state: 'succeeded' });
    expect(asked).to.deep.equal(['Ada']);
  });

  it('who is refused for good costs nothing; a provider that is away fails the run after three tries, and the next one goes on', async () => {
    const id = await automation();
    await leads('Ada', 'Bo');
    known.set('Ada', () => Promise.reject(new CallError('refused', 'no such person')));
    known.set('Bo', () => Promise.reject(new CallError('busy', 'come back later')));
    const handle = await engine();
    await bench.clock.advance(HOUR + HOUR / 2);
    for (let minute = 0; minute < 6; minute++) {
      await play(handle);
      await bench.clock.advance(HOUR / 60);
    }
    expect((await runsOf(id))[0]).to.deep.include({ state: 'failed', error: 'come back later' });
    expect((await runsOf(id))[0]?.result).to.include({ leads: 1, refused: 1, credits: 0 });
    found('Bo');
    await bench.clock.advance(HOUR);
    await play(handle);
    expect((await runsOf(id)).at(-1)?.result).to.include({ leads: 1, enriched: 1 });
    expect(asked.filter((name) => name === 'Ada')).to.have.length(1);
  });

  it('without a provider the run fails and says who mends it; nothing stays held', async () => {
    const id = await automation();
    await leads('Ada');
    await bench.clock.advance(HOUR + HOUR / 2);
    await play(await engine({ outside: openOutside({}, undefined) }));
    const [run] = await runsOf(id);
    expect(run?.state).to.equal('failed');
    expect(run?.error).to.match(/no enrichment provider is configured.*platform admin/);
    expect((await balance()).held).to.equal(0);
  });

  it('executors killed at each point, and between question and answer: charged once for each, nobody is left out', async () => {
    const id = await automation();
    await leads('Ada', 'Bo', 'Cy');
    for (const name of ['Ada', 'Bo', 'Cy']) found(name);
    await bench.clock.advance(HOUR + HOUR / 2);
    for (const point of SCHEDULE_POINTS)
      for (const nth of [1, 2]) {
        let met = 0;
        const faults = (reached: string): Promise<void> =>
          reached === point && ++met === nth ? Promise.reject(new FencedError('killed')) : Promise.resolve();
        await play(await engine({ faults })).catch((error: unknown) => {
          if (!(error instanceof FencedError)) throw error;
        });
      }
    await play(await engine());
    const [run] = await runsOf(id);
    expect(run).to.deep.include({ state: 'succeeded' });
    expect(run?.result).to.include({ leads: 3, enriched: 3, credits: 3 * EMAIL });
    expect(await balance()).to.deep.equal({ balance: 100 - 3 * EMAIL, held: 0 });
    expect(await emails()).to.deep.equal(['Ada', 'Bo', 'Cy']);
  });
});
