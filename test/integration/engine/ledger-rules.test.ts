import { expect } from 'chai';
import { claimPlanned } from '../../../pkg/engine/ledger/claim-planned.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import {
  type ClaimRequest,
  claimSends,
  dispatchSends,
  recoverSends,
  settleSends,
} from '../../../pkg/store/ledger/ledger.ts';
import { type Bench, change, enrol, openBench, query } from '../../fixtures/engine/harness.ts';
import { type LedgerCase, openCase } from '../../fixtures/engine/ledger-case.ts';
import { FREELY, type LedgerWorkflow, ledgerTools } from '../../fixtures/engine/ledger-tools.ts';
import { addAccount, addCampaign, addLead, addWorkflow } from '../../fixtures/engine/rows.ts';
import { eventually } from '../../tools/kube.ts';

const DAY = 86_400_000;

/** That both people of the case were written to, by somebody's workflow, so long ago. */
const contact = (by: { ws?: string; camp?: string; flow?: string; account?: string }, ago = DAY): string =>
  `insert into contact_log (person_id, workspace_id, campaign_id, workflow_id, account_id, last_at, touches)
   select person_id, ${by.ws ?? ':ws'}, ${by.camp ?? ':camp'}, ${by.flow ?? `'another'`}, ${by.account ?? ':account'}, :now - ${ago}, 1
   from run where id = any (:runs)`;
const sister = `insert into workspace (id, uid, name, agency_id, created_at, updated_at)
  select id || 'b', id || 'b', 'b', agency_id, 1, 1 from workspace where id = :ws`;

/** Whose contact binds, by the campaign's dedupeScope: [the contact, the scopes in which it stops a message]. */
const SCOPES: readonly (readonly [what: string, sql: string, binds: readonly string[]])[] = [
  ['the same campaign', contact({}), ['campaign', 'account', 'agency', 'workspace']],
  ['another campaign', contact({ camp: `'other'` }), ['account', 'agency', 'workspace']],
  ['another account of another campaign', contact({ camp: `'other'`, account: `'other'` }), ['agency', 'workspace']],
  [
    'another workspace of the agency',
    `${sister}; ${contact({ ws: `:ws || 'b'`, camp: `'other'`, account: `'other'` })}`,
    ['agency'],
  ],
  ['a stranger', contact({ ws: `'stranger'`, camp: `'other'`, account: `'other'` }), []],
];

describe('send ledger: rules of the claim, the dispatch and the settlement', function () {
  this.timeout(120_000);
  let bench: Bench;
  let owner: Database;
  before(async () => {
    bench = await openBench();
    owner = new Database({ url: bench.ownerUrl, max: 1, applicationName: 'test' });
  });
  after(async () => {
    await owner.close();
    await bench.close();
  });
  const { workflowFixture, runs, request, claim, claimPaced, used } = ledgerTools(() => bench);
  const open = (settings: object = {}, agency: string | null = null): Promise<LedgerCase> =>
    openCase(bench, owner, settings, agency);
  const settle = ({ at, one }: LedgerCase, result: 'confirmed' | 'failed' | 'unknown'): Promise<unknown[]> =>
    at.claim.tx((tx) => settleSends(tx, bench.clock.now(), [{ sendId: one.sendId, result }]));
  const stateOf = async ({ one }: LedgerCase): Promise<string | undefined> =>
    (await query<{ state: string }>(bench, 'select state from send where id = $1', [one.sendId]))[0]?.state;

  for (const [what, sql, binds] of SCOPES) {
    it(`a contact by ${what} stops a message in ${binds.join(', ') || 'no'} scope`, async () => {
      const bound: string[] = [];
      for (const dedupeScope of ['campaign', 'account', 'agency', 'workspace']) {
        const given = await open({ dedupeScope }, `agency-${dedupeScope}-${what}`);
        await given.happen(sql);
        if ((await claim(given.at, [given.one]))[0]?.refusal === 'recontact') bound.push(dedupeScope);
      }
      expect(bound).to.have.members([...binds]);
    });
  }

  it('recontactAfterDays is the campaign’s, to the day', async () => {
    for (const [days, refusal] of [
      [9, 'recontact'],
      [10, null],
    ] as const) {
      const given = await open({ recontactAfterDays: 10 });
      await given.happen(contact({}, days * DAY));
      expect((await claim(given.at, [given.one]))[0]?.refusal, `${days}`).to.equal(refusal);
    }
  });

  it('minDaysBetweenTouches binds the workspace’s own messages, not looks and not what others sent', async () => {
    const settings = { minDaysBetweenTouches: 2 };
    const given = await open(settings);
    await given.happen(contact({ flow: ':flow' }));
    expect((await claim(given.at, [given.one]))[0]).to.include({
      refusal: 'duration',
      nextAt: bench.clock.now() + DAY,
    });
    const look = { ...given.one, action: 'profile_view', budgets: ['profile_view'] };
    expect((await claim(given.at, [look]))[0]?.granted).to.equal(true);
    const stranger = await open(settings);
    await stranger.happen(contact({ ws: `'stranger'` }));
    expect((await claim(stranger.at, [stranger.one]))[0]?.granted).to.equal(true);
  });

  /** Messages to people of one company, each claimed when pacing allows. @returns refusals */
  async function toCompany(company: string, limit: number, people: number, before?: string): Promise<string[]> {
    const at = await workflowFixture({ maxLeadsPerCompanyPerDay: limit });
    const account = await addAccount(bench.app, [at.ws]);
    const leads = await Promise.all(Array.from({ length: people }, () => addLead(bench.app, at.ws, { company })));
    const ids = (await enrol(bench, at.ws, at.flow, leads)).map((one) => one.runId ?? '');
    const [first, ...rest] = ids.map((id) => request(id, account, 'message'));
    if (!first) throw new Error('nobody was enrolled');
    const start = await claimPaced(at, [first]);
    if (before) await owner.tx({ kind: 'none' }, (tx) => tx.exec(before, [first.sendId]));
    return [...start.refusals, ...(await claimPaced(at, rest, start.now)).refusals];
  }

  it('maxLeadsPerCompanyPerDay counts people of a known company whom something reached today', async () => {
    expect(await toCompany('Acme', 1, 2)).to.deep.equal(['company_limit']);
    expect(await toCompany('Acme', 0, 3), '0: no limit').to.deep.equal([]);
    expect(await toCompany('', 1, 3), 'no company').to.deep.equal([]);
    const yesterday = 'update send set claimed_at = claimed_at - 86400000 where id = $1';
    expect(await toCompany('Acme', 1, 2, yesterday), 'yesterday').to.deep.equal([]);
    const failed = `update send set state = 'failed' where id = $1`;
    expect(await toCompany('Acme', 1, 2, failed), 'failed').to.deep.equal([]);
  });

  it('maxLeadsPerCompanyPerDay holds within one batch of several accounts; no company is not a company', async () => {
    for (const [company, refusals] of [
      ['Acme', [null, 'company_limit']],
      ['', [null, null]],
    ] as const) {
      const at = await workflowFixture({ maxLeadsPerCompanyPerDay: 1 });
      const leads = await Promise.all([1, 2].map(() => addLead(bench.app, at.ws, { company })));
      const ids = (await enrol(bench, at.ws, at.flow, leads)).map((one) => one.runId ?? '');
      const accounts = await Promise.all(ids.map(() => addAccount(bench.app, [at.ws])));
      const answers = await claim(
        at,
        ids.map((id, index) => request(id, accounts[index] ?? '', 'message')),
      );
      expect(
        answers.map((answer) => answer.refusal),
        company,
      ).to.have.members([...refusals]);
    }
  });

  /** What two lanes answer of which the second begins before the first commits, which it does when the other ended or waits. */
  async function side<T>(
    first: (beside: () => Promise<void>) => Promise<T[]>,
    second: () => Promise<T[]>,
  ): Promise<T[]> {
    let ended = false;
    let other: Promise<T[]> = Promise.resolve([]);
    const answers = await first(async () => {
      other = second().finally(() => {
        ended = true;
      });
      const waits = 'select 1 from pg_locks where not granted';
      await eventually('it ends or waits', async () => ended || (await query(bench, waits)).length > 0);
    });
    return [...answers, ...(await other)];
  }

  it('maxLeadsPerCompanyPerDay holds between two lanes that claim at the same moment', async () => {
    const at = await workflowFixture({ maxLeadsPerCompanyPerDay: 1 });
    const leads = await Promise.all([1, 2].map(() => addLead(bench.app, at.ws, { company: 'Acme' })));
    const ids = (await enrol(bench, at.ws, at.flow, leads)).map((one) => one.runId ?? '');
    const unpaced = { pacing: { maxGapSeconds: 0 } };
    const accounts = await Promise.all(ids.map(() => addAccount(bench.app, [at.ws], unpaced)));
    const [one, other] = ids.map((id, index) => [request(id, accounts[index] ?? '', 'message')]);
    const lane = (requests: ClaimRequest[] = [], beside = async (): Promise<void> => {}) =>
      at.claim.tx(async (tx) => {
        const answers = await claimSends(tx, bench.clock.now(), requests);
        await beside();
        return answers;
      });
    const refusals = (await side(lane.bind(null, one), lane.bind(null, other))).map((answer) => answer.refusal);
    expect(refusals).to.have.members([null, 'company_limit']);
  });

  it('minDaysBetweenTouches holds between two lanes that dispatch at the same moment', async () => {
    const at = await workflowFixture({ minDaysBetweenTouches: 2, dedupeScope: 'campaign' });
    const camp = await addCampaign(bench.app, at.ws, {
      contactPolicy: { minDaysBetweenTouches: 2, dedupeScope: 'campaign' },
    });
    const flow = await addWorkflow(bench.app, at.ws, camp, {
      nodes: [{ nodeType: 'network:profile_view' }],
      edges: [],
    });
    const leadId = await addLead(bench.app, at.ws, {});
    const unpaced = { pacing: { maxGapSeconds: 0 } };
    const sends: ClaimRequest[] = [];
    for (const where of [at.flow, flow]) {
      const [run] = await enrol(bench, at.ws, where, [leadId]);
      sends.push(request(run?.runId ?? '', await addAccount(bench.app, [at.ws], unpaced), 'message'));
    }
    expect((await claim(at, sends)).map((answer) => answer.granted)).to.deep.equal([true, true]);
    const lane = (send: ClaimRequest | undefined, beside = async (): Promise<void> => {}) =>
      at.claim.tx(async (tx) => {
        const answers = await dispatchSends(tx, bench.clock.now(), [send?.sendId ?? '']);
        await beside();
        return answers;
      });
    const refusals = (await side(lane.bind(null, sends[0]), lane.bind(null, sends[1]))).map((answer) => answer.refusal);
    expect(refusals).to.have.members([null, 'duration']);
  });

  it('a guaranteed share that is used up is not kept back once more', async () => {
    const [a, b] = [await workflowFixture(), await workflowFixture()];
    const limits = { profile_view: { day: 10 } };
    const account = await addAccount(bench.app, [a.ws, b.ws], { limits, shares: [0, 0.4] });
    const views = async (at: LedgerWorkflow, count: number): Promise<ClaimRequest[]> =>
      (await runs(at, count)).map((id) => request(id, account));
    const first = await claimPaced(b, await views(b, 4));
    expect(first.granted).to.equal(4);
    expect((await claimPaced(a, await views(a, 7), first.now)).granted).to.equal(6);
  });

  it('maxLeadsPerCompanyPerDay lets a second message to the same person pass', async () => {
    const given = await open({ maxLeadsPerCompanyPerDay: 1 });
    await claim(given.at, [given.one]);
    await given.dispatch();
    await settle(given, 'confirmed');
    const again = request(given.one.runId, given.account, 'message', { nodeId: 'n1' });
    expect((await claimPaced(given.at, [again])).granted).to.equal(1);
  });

  it('send keys: an account asks a person for a connection once for ever, whichever workflow', async () => {
    const given = await open();
    const ask = { action: 'connection_request', budgets: ['connection_request'], once: 'account' } as const;
    const first = request(given.one.runId, given.account, 'connection_request', ask);
    expect((await claimPaced(given.at, [first])).granted).to.equal(1);
    const again = request(given.one.runId, given.account, 'connection_request', { ...ask, nodeId: 'n9' });
    expect((await claimPaced(given.at, [again])).refusals).to.deep.equal(['already_sent']);
    const account = await addAccount(bench.app, [given.at.ws]);
    const another = request(given.one.runId, account, 'connection_request', { ...ask, nodeId: 'n9' });
    expect((await claimPaced(given.at, [another])).granted).to.equal(1);
  });

  it('two requests of one batch with the same key: one is granted and one unit spent', async () => {
    const given = await open();
    // Without a pace: what is paced waits for a moment of its own.
    await change(bench, `update network_account set pacing = '{"maxGapSeconds": 0}' where id = $1`, [given.account]);
    const twin = request(given.one.runId, given.account, 'profile_view');
    const answers = await given.at.claim.tx((tx) => claimSends(tx, bench.clock.now(), [given.one, twin]));
    expect(answers.map((answer) => answer.refusal)).to.have.members([null, 'already_sent']);
    expect((await used(given.account, 'message')) + (await used(given.account))).to.equal(1);
  });

  it('two runs of one batch to the same person: one takes the contact claim, the other keeps nothing', async () => {
    const at = await workflowFixture({ dedupeScope: 'account' });
    const account = await addAccount(bench.app, [at.ws]);
    const second = await addWorkflow(bench.app, at.ws, at.camp, {
      nodes: [{ nodeType: 'network:profile_view' }],
      edges: [],
    });
    const lead = await addLead(bench.app, at.ws, {});
    const ids: string[] = [];
    for (const flow of [at.flow, second]) {
      ids.push(...(await enrol(bench, at.ws, flow, [lead])).map((one) => one.runId ?? ''));
    }
    const requests = [request(ids[0] ?? '', account, 'message'), request(ids[1] ?? '', account)];
    const answers = await at.claim.tx((tx) => claimPlanned(tx, bench.clock.now(), requests, () => FREELY));
    expect(answers.map((answer) => answer.refusal)).to.have.members([null, 'claim_held_elsewhere']);
    const keys = await owner.tx({ kind: 'none' }, (tx) =>
      tx.rows('select 1 from send_key where send_id = any ($1::uuid[])', [requests.map((one) => one.sendId)]),
    );
    expect(keys).to.have.length(1);
  });

  it('who was due first is promised the first moment, whatever their company is called', async () => {
    const at = await workflowFixture();
    const account = await addAccount(bench.app, [at.ws]);
    const leads: string[] = [];
    for (const company of ['Zeta', 'Mu', 'Alpha', 'Xi']) leads.push(await addLead(bench.app, at.ws, { company }));
    const ids = (await enrol(bench, at.ws, at.flow, leads)).map((one) => one.runId ?? '');
    const now = bench.clock.now();
    const requests = ids.map((id) => request(id, account, 'message'));
    const answers = await at.claim.tx((tx) => claimPlanned(tx, now, requests, () => FREELY));
    const moments = ids.map((id) => {
      const answer = answers.find((one) => one.runId === id);
      return answer?.granted ? (answer.actAt ?? now) : (answer?.nextAt ?? Number.NaN);
    });
    expect(moments).to.deep.equal([...moments].sort((a, b) => a - b));
    expect(new Set(moments).size, 'each a moment of its own').to.equal(4);
  });

  it('without a claim token nothing is claimed, dispatched, settled or recovered', async () => {
    const given = await open();
    const now = bench.clock.now();
    for (const work of [
      () => bench.executor.tx({ kind: 'none' }, (tx) => claimSends(tx, now, [given.one])),
      () => bench.executor.tx({ kind: 'none' }, (tx) => dispatchSends(tx, now, [given.one.sendId])),
      () =>
        bench.executor.tx({ kind: 'none' }, (tx) =>
          settleSends(tx, now, [{ sendId: given.one.sendId, result: 'failed' }]),
        ),
      () => bench.executor.tx({ kind: 'none' }, (tx) => recoverSends(tx, now, 1)),
    ]) {
      expect(
        await work().then(
          () => 'done',
          (error: Error) => error.name,
        ),
      ).to.equal('FencedError');
    }
  });

  it('the claim of another workspace neither claims nor dispatches nor settles', async () => {
    const given = await open();
    const stranger = await workflowFixture();
    const now = bench.clock.now();
    expect(await stranger.claim.tx((tx) => claimSends(tx, now, [given.other]))).to.deep.equal([]);
    await claim(given.at, [given.one]);
    expect(await stranger.claim.tx((tx) => dispatchSends(tx, now, [given.one.sendId]))).to.deep.equal([]);
    await given.dispatch();
    const results = [{ sendId: given.one.sendId, result: 'failed' as const }];
    expect(await stranger.claim.tx((tx) => settleSends(tx, now, results))).to.deep.equal([]);
    expect(await stateOf(given)).to.equal('dispatched');
  });

  it('a send is dispatched once, and only while its run waits for it', async () => {
    const given = await open();
    await claim(given.at, [given.one]);
    expect((await given.dispatch())?.dispatched).to.equal(true);
    expect(await given.dispatch()).to.include({ dispatched: false, refusal: 'gone' });
    expect(await stateOf(given)).to.equal('dispatched');
    const forgotten = await open();
    await claim(forgotten.at, [forgotten.one]);
    await forgotten.happen('update run set send_id = null where id = any (:runs)');
    expect(await forgotten.dispatch()).to.include({ dispatched: false, refusal: 'gone' });
    expect(await stateOf(forgotten)).to.equal('failed');
  });

  it('a run that ended its steps with a reply sends nothing, whatever its facts say', async () => {
    const given = await open();
    await claim(given.at, [given.one]);
    await given.happen(`update run set state = 'replied' where id = any (:runs)`);
    expect(await given.dispatch()).to.include({ dispatched: false, refusal: 'replied' });
  });

  it('a dispatch is a contact, a refused one is not; its run is due again at once', async () => {
    const given = await open();
    await claim(given.at, [given.one]);
    await given.dispatch();
    const contacts = 'select 1 from contact_log where workflow_id = :flow';
    expect(await given.count(contacts)).to.equal(1);
    const refused = await open();
    await claim(refused.at, [refused.one]);
    await refused.happen(
      `update campaign set state = 'paused' where id = :camp; update run set due_at = null where id = any (:runs)`,
    );
    await refused.dispatch();
    expect(await refused.count(contacts)).to.equal(0);
    expect(await refused.count('select 1 from run where id = any (:runs) and due_at = :now')).to.equal(1);
  });

  it('only what was dispatched can be confirmed, and what is settled stays settled', async () => {
    const given = await open();
    await claim(given.at, [given.one]);
    expect(await settle(given, 'confirmed')).to.deep.equal([]);
    await given.dispatch();
    expect(await settle(given, 'confirmed')).to.have.length(1);
    expect(await settle(given, 'failed')).to.deep.equal([]);
    expect(await stateOf(given)).to.equal('confirmed');
    expect(await used(given.account, 'message')).to.equal(1);
  });

  it('a proven failure was no contact; an unknown outcome stays one', async () => {
    for (const [result, contacts] of [
      ['failed', 0],
      ['unknown', 1],
    ] as const) {
      const given = await open();
      await claim(given.at, [given.one]);
      await given.dispatch();
      await settle(given, result);
      expect(await given.count('select 1 from contact_log where workflow_id = :flow'), result).to.equal(contacts);
    }
  });

  it('a dead letter that a person discarded is settled by nobody', async () => {
    const given = await open();
    await claim(given.at, [given.one]);
    await given.dispatch();
    await settle(given, 'unknown');
    await given.happen(`update send set dead_letter_state = 'discarded' where workspace_id = :ws`);
    expect(await settle(given, 'failed')).to.deep.equal([]);
    expect(await used(given.account, 'message')).to.equal(1);
  });

  it('a recovery leaves what the living epoch claimed and dispatched', async () => {
    const given = await open();
    await claimPaced(given.at, [given.one, given.other]);
    await given.dispatch();
    expect(await given.at.claim.tx((tx) => recoverSends(tx, bench.clock.now(), 1))).to.deep.equal({
      cancelled: 0,
      unknown: 0,
    });
  });

  it('a claim under a limit of nothing that is known is refused, not granted', async () => {
    const at = await workflowFixture();
    const [account] = [await addAccount(bench.app, [at.ws])];
    const [run] = await runs(at, 1);
    const odd = request(run ?? '', account, 'profile_view', { budgets: ['profile_view', 'carrier_pigeon'] });
    expect((await claim(at, [odd]))[0]?.refusal).to.equal('budget');
  });
});
