import { expect } from 'chai';
import type { RestoreKeeper } from '../../../pkg/controllers/restore/restore-keeper.ts';
import { LeaseVault } from '../../../pkg/controllers/restore/vault.ts';
import type { OutsideRecord } from '../../../pkg/domain/restore-guard.ts';
import { AccountGuard } from '../../../pkg/engine/restore/account-guard.ts';
import { type ReconcileReport, reconcile } from '../../../pkg/engine/restore/reconcile.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import type { BehindResource } from '../../../pkg/store/restore/restore-guard.ts';
import { settleBehind } from '../../../pkg/store/restore/restore-lift.ts';
import { planIdle } from '../../../pkg/store/runs/plan-idle.ts';
import { type Bench, change, enrol, openBench, query } from '../../fixtures/engine/harness.ts';
import { MailFixture, type MailWorkspace } from '../../fixtures/engine/mail-fixture.ts';
import { syncRound } from '../../fixtures/engine/sync-round.ts';
import { chain, HOUR, lead, message, NO_GAP, runOf, workflowFixture } from '../../fixtures/engine/workflow-fixture.ts';
import {
  accountsRestarted,
  freezes,
  guard,
  keeperOf,
  MemoryVault,
  reconciled,
} from '../../fixtures/restore/guard-fixture.ts';

const mail = (subject: string) => ({
  nodeType: 'mail:send',
  config: { subject, text: `${subject} {{lead:firstName}}` },
});

describe('restore guard in the ledger', function () {
  this.timeout(60_000);
  let bench: Bench;
  let vault: MemoryVault;
  let keeper: RestoreKeeper;
  /** Resources that are older than their rows. */
  let behind: BehindResource[];
  /** The same, as no cache hides them; undefined: as `behind`. */
  let behindNow: BehindResource[] | undefined;
  beforeEach(async () => {
    bench = await openBench();
    vault = new MemoryVault();
    behind = [];
    behindNow = undefined;
    keeper = keeperOf(
      bench,
      vault,
      (most) => behind.slice(0, most),
      () => behindNow ?? behind,
    );
  });
  afterEach(() => bench.close());

  /** Rounds of the leader until one took the look that a reconciliation asked for. */
  async function untilLooked(): Promise<void> {
    while ((await query(bench, 'select 1 from restore_guard where looks_done > 0')).length === 0) await keeper.round();
  }
  /** As if Postgres had started since the last comparison. */
  const restarted = (): Promise<number> =>
    change(bench, `update restore_guard set checked_start = checked_start - interval '1 hour'`);

  async function mailsReconciled(
    at: MailWorkspace,
    fixture: MailFixture | undefined,
    dryRun: boolean,
  ): Promise<ReconcileReport> {
    const db = new Database({ url: bench.ownerUrl, max: 1, applicationName: 'test' });
    const { newId } = at.handle.deps;
    const options = { db, providers: () => undefined, now: () => bench.clock.now(), newId, lookWithinMs: 0, dryRun };
    const report = await reconcile({ ...options, mail: fixture?.desk });
    await db.close();
    return report;
  }

  async function asOwner(...statements: string[]): Promise<void> {
    const db = new Database({ url: bench.ownerUrl, max: 1, applicationName: 'test' });
    await db.tx({ kind: 'none' }, (tx) => tx.exec(statements.join(';')));
    await db.close();
  }

  it('a database that nobody guards sends', async () => {
    const at = await workflowFixture(bench, chain(message()));
    const { leadId } = await lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect(at.network.received).to.have.length(1);
  });

  it('before the first comparison of a start of Postgres nothing is claimed; afterwards it goes on by itself', async () => {
    const at = await workflowFixture(bench, chain(message()));
    await keeper.round();
    await restarted();
    const { leadId } = await lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await guard(at);
    await at.handle.quiet();
    expect(at.network.received).to.have.length(0);
    expect((await runOf(bench, leadId)).wait_reason).to.equal('send_freeze');
    await keeper.round();
    await guard(at);
    await bench.clock.advance(10_000);
    await at.handle.quiet();
    expect(at.network.received).to.have.length(1);
    expect(await freezes(bench)).to.deep.equal([]);
  });

  it("an account's first effect waits for its comparison, also between claim and dispatch", async () => {
    const at = await workflowFixture(bench, chain(message()));
    await keeper.round();
    await guard(at);
    const { leadId } = await lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    at.network.lookupProfile = async (_account, profile) => {
      await accountsRestarted(bench);
      const publicId = 'publicId' in profile ? profile.publicId : '';
      return {
        providerId: `ACo${publicId}`,
        publicId,
        firstName: '',
        lastName: '',
        headline: '',
        connected: true,
        pending: false,
      };
    };
    await at.handle.engine.step();
    await at.handle.engine.settle();
    expect(at.network.received).to.have.length(0);
    const [send] = await query<{ state: string; outcome: string }>(bench, 'select state, outcome from send');
    expect(send).to.deep.equal({ state: 'failed', outcome: 'cancelled' });
  });

  it('a provider that can not be read keeps its account back, and only until it answers', async () => {
    const at = await workflowFixture(bench, chain(message()));
    await keeper.round();
    const { listChats } = at.network;
    at.network.listChats = () => Promise.reject(new Error('away'));
    const { leadId } = await lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await guard(at);
    await at.handle.quiet();
    expect(at.network.received).to.have.length(0);
    at.network.listChats = listChats;
    await guard(at);
    await bench.clock.advance(10_000);
    await at.handle.quiet();
    expect(at.network.received).to.have.length(1);
  });

  it('a text of ours that the ledger lacks stops everything; reconciled, it is not sent again', async () => {
    const at = await workflowFixture(
      bench,
      chain(
        message('Hello {{lead:firstName}}'),
        { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 60_000 } },
        message('Bye'),
      ),
    );
    await keeper.round();
    const { leadId, publicId } = await lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    at.network.inbox.push({
      messageId: 'm1',
      chatId: `chat-${publicId}`,
      direction: 'out',
      text: 'Hello   Ada',
      sentAt: bench.clock.now(),
    });
    await guard(at);
    expect((await freezes(bench))[0]).to.include({ scope: 'platform', target: 'restore' });
    await at.handle.quiet();
    expect(at.network.received).to.have.length(0);
    await reconciled(bench, at);
    await guard(at);
    await at.handle.deps.claim.tx((tx) => planIdle(tx, bench.clock.now()));
    for (let turn = 0; turn < 20; turn++) {
      await bench.clock.advance(60_000);
      await at.handle.quiet();
    }
    expect(at.network.received.map((one) => one.text)).to.deep.equal(['Bye']);
    expect(await freezes(bench)).to.deep.equal([]);
    const [adopted] = await query<{ state: string; provider_ref: string; evidence: { what: string }[] }>(
      bench,
      `select * from send where provider_ref = 'm1'`,
    );
    expect(adopted?.state).to.equal('confirmed');
    expect(adopted?.evidence[0]?.what).to.equal('adopted');
  });

  it('a hand-written message to a followed person stops its account only', async () => {
    const at = await workflowFixture(bench, chain(message()));
    await keeper.round();
    const { leadId, publicId } = await lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    at.network.inbox.push({
      messageId: 'm1',
      chatId: `chat-${publicId}`,
      direction: 'out',
      text: 'See you',
      sentAt: bench.clock.now(),
    });
    await guard(at);
    expect(await freezes(bench)).to.have.length(1);
    expect((await freezes(bench))[0]).to.include({ scope: 'account', target: at.account });
  });

  it('messages to strangers, known messages and our own confirmed ones stop nothing', async () => {
    const at = await workflowFixture(bench, chain(message()));
    await keeper.round();
    await guard(at);
    const { leadId, publicId } = await lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    const sentAt = bench.clock.now();
    at.network.inbox.push(
      { messageId: 'ref-1', chatId: `chat-${publicId}`, direction: 'out', text: 'Hello Ada', sentAt },
      { messageId: 'x', chatId: 'chat-stranger', direction: 'out', text: 'Lunch?', sentAt },
      { messageId: 'y', chatId: `chat-${publicId}`, direction: 'in', text: 'Hello Ada', sentAt },
    );
    await accountsRestarted(bench);
    await guard(at);
    expect(await freezes(bench)).to.deep.equal([]);
    expect(
      await query(bench, 'select 1 from account_guard where checked_start = pg_postmaster_start_time()'),
    ).to.have.length(1);
  });

  it('a request by hand to a followed person that account sync saw before the last start of Postgres stops nothing', async () => {
    const pause = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 24 * HOUR } };
    const at = await workflowFixture(bench, chain(pause, message()));
    await keeper.round();
    const { leadId, publicId } = await lead(bench, at, false);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    at.network.received.push({ account: at.account, kind: 'connection_request', publicId, text: null });
    await syncRound(bench, at);
    await asOwner(`update outrider.hand_action set noted_start = noted_start - interval '1 hour'`);
    await guard(at);
    expect(await freezes(bench)).to.deep.equal([]);
    await asOwner(`update outrider.hand_action set noted_start = noted_start + interval '1 hour'`);
    await accountsRestarted(bench);
    await guard(at);
    expect((await freezes(bench))[0], 'seen since: a backup that was restored may lack it').to.include({
      scope: 'account',
      target: at.account,
    });
  });

  it('a lost connection request is adopted for ever', async () => {
    const at = await workflowFixture(bench, chain({ nodeType: 'network:connection_request' }), NO_GAP);
    await keeper.round();
    const { leadId, publicId } = await lead(bench, at, false);
    await enrol(bench, at.ws, at.flow, [leadId]);
    at.network.received.push({ account: at.account, kind: 'connection_request', publicId, text: null });
    await guard(at);
    expect((await freezes(bench))[0]).to.include({ scope: 'account' });
    await reconciled(bench, at);
    await guard(at);
    await bench.clock.advance(10_000);
    await at.handle.quiet();
    expect(at.network.received).to.have.length(1);
    const [kept] = await query<{ action: string; state: string }>(bench, 'select action, state from send');
    expect(kept).to.deep.equal({ action: 'connection_request', state: 'confirmed' });
    const outcomes = await query<{ data: { outcome?: string } }>(
      bench,
      `select data from run_event where data ? 'outcome'`,
    );
    expect(outcomes.map((event) => event.data.outcome)).to.include('already_pending');
  });

  it('mails that the ledger lacks stop everything; reconciled, no person gets one twice', async () => {
    const fixture = await MailFixture.open(bench);
    try {
      const at = await fixture.workflowFixture(
        chain(
          mail('Hello'),
          { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 12 * HOUR } },
          mail('Bye'),
        ),
      );
      const guard = new AccountGuard(at.handle.deps);
      await keeper.round();
      await guard.check();
      const known = await fixture.lead(at, await fixture.person());
      const address = await fixture.person();
      const forgotten = await fixture.lead(at, address);
      await enrol(bench, at.ws, at.flow, [known, forgotten]);
      for (let turn = 0; turn < 12; turn++) {
        await at.handle.quiet();
        await bench.clock.advance(300_000);
      }
      expect(await fixture.received(at)).to.have.length(2);
      // A backup of before the mails, and of before the second lead was there.
      await asOwner(
        'delete from contact_claim; delete from send_key; delete from contact_log; update run set send_id = null; delete from send',
        `update run set node_id = 'n0', facts = '{}', state = 'waiting', due_at = 0 where lead_id = '${known}'`,
        `delete from run where lead_id = '${forgotten}'; delete from lead_overlay where lead_id = '${forgotten}'`,
        `delete from lead where id = '${forgotten}'`,
        'delete from person_alias where person_id not in (select person_id from lead where person_id is not null)',
      );
      await accountsRestarted(bench);
      await new AccountGuard(at.handle.deps).check();
      expect((await freezes(bench))[0]?.reason).to.match(/shows 2 sends of account .* lacks.*Run: outrider reconcile/);
      await at.handle.quiet();
      expect(await fixture.received(at)).to.have.length(2);

      const dry = await mailsReconciled(at, fixture, true);
      expect(dry.accounts[0]).to.deep.include({ failed: null, missing: [] });
      expect(await freezes(bench)).to.have.length(1);
      const report = await mailsReconciled(at, fixture, false);
      expect(report.accounts[0]?.found.map((one) => [one.kind, one.nodes])).to.deep.equal([
        ['mail', [`${at.flow}/n0`]],
        ['mail', [`${at.flow}/n0`]],
      ]);
      const addressees = await query<{ to: string }>(
        bench,
        `select target ->> 'to' as to from send where state = 'confirmed'`,
      );
      expect(addressees, 'answers and complaints find it by its addressee').to.have.length(1);
      expect(addressees[0]?.to).to.include('@');
      expect(await freezes(bench)).to.deep.equal([]);
      await new AccountGuard(at.handle.deps).check();
      expect(await freezes(bench), 'what was taken over lacks no more').to.deep.equal([]);
      await enrol(bench, at.ws, at.flow, [await fixture.lead(at, address)]);
      await at.handle.deps.claim.tx((tx) => planIdle(tx, bench.clock.now()));
      for (let turn = 0; turn < 30; turn++) {
        await bench.clock.advance(HOUR);
        await at.handle.quiet();
      }
      const subjects = (await fixture.received(at)).map((one) => `${one.target} ${one.text?.split('\n')[0]}`);
      expect(new Set(subjects).size, 'nobody gets a mail twice').to.equal(subjects.length);
      expect(subjects.filter((one) => one.startsWith(address))).to.have.length.within(1, 2);
    } finally {
      await fixture.close();
    }
  });

  it('a mailbox that can not be opened stays stopped, and the others go on', async () => {
    const fixture = await MailFixture.open(bench);
    try {
      const at = await fixture.workflowFixture(chain(mail('Hello')));
      await keeper.round();
      const report = await mailsReconciled(at, undefined, false);
      expect(report.accounts[0]?.failed).to.equal('mail is not configured in this process');
      expect(await query(bench, 'select 1 from account_guard where checked_start is not null')).to.have.length(0);
    } finally {
      await fixture.close();
    }
  });

  it('each round raises the epoch inside and outside; a database turned back freezes until reconciled', async () => {
    const at = await workflowFixture(bench, chain(message()));
    for (let round = 0; round < 3; round++) await keeper.round();
    expect(vault.record?.epoch).to.equal(3);
    await change(bench, 'update restore_guard set epoch = 1');
    await keeper.round();
    expect((await freezes(bench))[0]?.reason).to.match(/epoch 1, memory says 3.*Run: outrider reconcile/);
    await keeper.round();
    expect(vault.record?.epoch).to.equal(3);
    await reconciled(bench, at);
    await keeper.round();
    expect(vault.record?.epoch).to.equal(4);
    expect(await freezes(bench)).to.deep.equal([]);
  });

  it('operators that are killed between the write inside and the one outside, again and again, freeze nothing', async () => {
    for (let round = 0; round < 3; round++) await keeper.round();
    vault.deaf = true;
    for (let round = 0; round < 4; round++) await keeper.round();
    expect(vault.record?.epoch).to.equal(3);
    vault.deaf = false;
    for (let round = 0; round < 2; round++) await keeper.round();
    expect(vault.record?.epoch).to.equal(5);
    expect(await freezes(bench)).to.deep.equal([]);
  });

  it('a copy outside that is turned back, or gone, freezes until reconciled', async () => {
    const at = await workflowFixture(bench, chain(message()));
    for (let round = 0; round < 4; round++) await keeper.round();
    // The same again, too: what was accepted once is not for ever.
    for (const record of [null, null, { ...(vault.record as OutsideRecord), epoch: 1 }]) {
      vault.record = record;
      await keeper.round();
      expect(await freezes(bench)).to.have.length(1);
      await reconciled(bench, at);
      for (let round = 0; round < 3; round++) await keeper.round();
      expect(await freezes(bench)).to.deep.equal([]);
    }
  });

  it('of a restored cluster one reconciliation settles all resources, however many are older than their rows', async () => {
    behind = Array.from({ length: 350 }, (_, at) => ({
      kind: 'Campaign',
      id: `camp-${at}`,
      uid: 'u',
      rowGeneration: 2,
      liveGeneration: 1,
    }));
    await keeper.round();
    expect((await freezes(bench))[0]?.reason).to.include('Campaign camp-0, Campaign camp-1, Campaign camp-2 and more');
    const settled = await bench.app.tx({ kind: 'platform' }, (tx) => settleBehind(tx, { dryRun: true, now: 1 }));
    expect(settled).to.have.length(350);
  });

  it('a reconciliation settles what is older than its row now, not what was when sends froze', async () => {
    const at = await workflowFixture(bench, chain(message()));
    for (let round = 0; round < 3; round++) await keeper.round();
    // The Lease is old, and the caches of the operator that sees it know nothing of the resources yet.
    vault.record = { ...(vault.record as OutsideRecord), epoch: 1 };
    await keeper.round();
    const older = { kind: 'Workflow', id: 'flow-1', uid: 'u', rowGeneration: 2, liveGeneration: 1 } as const;
    behindNow = [older];
    const [report] = await Promise.all([reconciled(bench, at, 60_000), untilLooked()]);
    expect(report.resources).to.deep.equal([{ ...older, outcome: 'taken' }]);
    expect(report.resourcesCompared).to.equal(true);
    expect(await freezes(bench)).to.deep.equal([]);
  });

  it('Postgres and etcd of yesterday, one after the other: one reconciliation settles both', async () => {
    const at = await workflowFixture(bench, chain(message()));
    for (let round = 0; round < 6; round++) await keeper.round();
    await change(bench, 'update restore_guard set epoch = epoch - 3');
    await keeper.round();
    expect((await freezes(bench))[0]?.reason).to.include('epoch');
    vault.record = { ...(vault.record as OutsideRecord), epoch: (vault.record as OutsideRecord).epoch - 3 };
    await Promise.all([reconciled(bench, at, 60_000), untilLooked()]);
    for (let round = 0; round < 3; round++) await keeper.round();
    expect(await freezes(bench)).to.deep.equal([]);
  });

  it('a reconciliation that no operator answers says that resources were not compared', async () => {
    const at = await workflowFixture(bench, chain(message()));
    for (let round = 0; round < 3; round++) await keeper.round();
    vault.record = null;
    await keeper.round();
    expect((await reconciled(bench, at, 1)).resourcesCompared).to.equal(false);
  });

  it('a kill switch that an admin set survives a reconciliation', async () => {
    const at = await workflowFixture(bench, chain(message()));
    await change(
      bench,
      `insert into send_freeze (id, scope, reason, frozen_by, since) values (gen_random_uuid(), 'platform', 'stop', 'admin', 1)`,
    );
    await reconciled(bench, at);
    expect((await freezes(bench))[0]).to.include({ reason: 'stop', target: '' });
  });

  it('the Lease carries an epoch only after the first comparison, and one written over is noticed', async () => {
    const lease = new LeaseVault();
    expect(lease.annotations).to.deep.equal({});
    const record = { epoch: 5, systemIdentifier: 's', timeline: 1 };
    await lease.write(record);
    expect(await lease.read()).to.equal(null);
    lease.observe(lease.annotations);
    expect(await lease.read()).to.deep.equal(record);
    lease.observe({ 'outrider.dev/restore-epoch': JSON.stringify({ ...record, epoch: 2 }) });
    lease.observe(lease.annotations);
    expect((await lease.read())?.epoch).to.equal(2);
    lease.observe({ 'outrider.dev/restore-epoch': 'nonsense' });
    await lease.write({ ...record, epoch: 6 });
    expect(await lease.read()).to.equal(null);
  });
});
