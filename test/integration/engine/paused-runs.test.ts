import { expect } from 'chai';
import { TELL_AFTER } from '../../../pkg/engine/lookups/look-up-waits.ts';
import { ProviderError } from '../../../pkg/providers/network/network-provider.ts';
import { recordReply } from '../../../pkg/store/inbox/inbox.ts';
import { recoverSends } from '../../../pkg/store/ledger/ledger.ts';
import {
  type Bench,
  change,
  type EngineHandle,
  enrol,
  openBench,
  openEngine,
  passTime,
  query,
} from '../../fixtures/engine/harness.ts';
import { killAtDispatch, lookTwice } from '../../fixtures/engine/node-outcome.ts';
import {
  chain,
  DAY,
  HOUR,
  lead,
  message,
  runOf,
  type WorkflowFixture,
  workflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';

describe('a run that a person paused goes on when it is resumed, and not before', function () {
  this.timeout(120_000);
  let bench: Bench;
  let at: WorkflowFixture;
  let leadId: string;
  beforeEach(async () => {
    bench = await openBench();
    at = await workflowFixture(bench, chain(message('one'), message('two')));
    await change(bench, `update network_account set pacing = '{"maxGapSeconds": 0}'`);
    ({ leadId } = await lead(bench, at));
    await enrol(bench, at.ws, at.flow, [leadId]);
  });
  afterEach(() => bench.close());

  /** As svc_control_workflow_runs does. */
  const pause = (until: number | null = null): Promise<number> =>
    change(bench, `update run set state = 'paused', due_at = $1, version = version + 1`, [until]);
  const resume = (): Promise<number> =>
    change(bench, `update run set state = 'waiting', due_at = $1, version = version + 1`, [bench.clock.now()]);
  const texts = (): (string | null)[] => at.network.received.map((one) => one.text);

  /** Days pass, and it stands where it stood; resumed, it goes on to its end. */
  async function staysPaused(handle: EngineHandle, sent: string[]): Promise<void> {
    await passTime(bench, handle, 2 * DAY, 6 * HOUR);
    expect(await runOf(bench, leadId)).to.include({ state: 'paused', due_at: null });
    expect(texts()).to.deep.equal(sent);
    await resume();
    await handle.quiet();
    expect((await runOf(bench, leadId)).state).to.equal('completed');
    expect(texts()).to.deep.equal(['one', 'two']);
  }

  it('when its executor ends before the request was committed', async () => {
    const reached = Promise.withResolvers<void>();
    const dying = await openEngine(bench, at.ws, at.network, {
      faults: (point) => {
        if (point !== 'claimed') return Promise.resolve();
        reached.resolve();
        return new Promise<never>(() => undefined);
      },
    });
    await dying.engine.step();
    await reached.promise;
    await pause();
    const heir = await openEngine(bench, at.ws, at.network);
    await heir.deps.claim.tx((tx) => recoverSends(tx, bench.clock.now(), 500));
    await staysPaused(heir, []);
  });

  for (const [when, sent] of [
    ['before', []],
    ['after', ['one']],
  ] as const) {
    it(`when its executor ends ${when} the request is written`, async () => {
      const heir = await killAtDispatch(bench, at, when, undefined, pause);
      await lookTwice(bench, at, heir);
      await staysPaused(heir, [...sent]);
    });
  }

  it('when look-ups fail until a person is told, and when the person has it looked up', async () => {
    at.network.onPerform = async (_action, perform) => {
      perform();
      throw new ProviderError('unknown_outcome', 'connection reset');
    };
    await at.handle.quiet();
    at.network.onPerform = undefined;
    await pause();
    const find = at.network.lookupOutcome.bind(at.network);
    at.network.lookupOutcome = () => Promise.reject(new Error('the account is not connected'));
    for (let time = 0; time < TELL_AFTER; time++) {
      await change(bench, 'update send set lookup_after = clock_timestamp()');
      await at.handle.lookUp();
    }
    expect(await runOf(bench, leadId)).to.include({ state: 'paused', due_at: null });
    await query(bench, 'select app.resolve_send(id, $1, $2, $3, $4) from send', [
      'lookup',
      bench.clock.now(),
      'a',
      'b',
    ]);
    expect(await runOf(bench, leadId)).to.include({ state: 'paused', due_at: null });
    at.network.lookupOutcome = find;
    await at.handle.lookUp();
    await staysPaused(at.handle, ['one']);
  });

  it('until the time that was given, also when its account is healthy again before', async () => {
    await change(bench, `update network_account set status = 'credentials_expired'`);
    await at.handle.quiet();
    expect((await runOf(bench, leadId)).wait_reason).to.equal('account_unhealthy');
    const until = bench.clock.now() + 3 * DAY;
    await pause(until);
    await change(bench, `update network_account set status = 'ok'`);
    await passTime(bench, at.handle, 2 * DAY, 6 * HOUR);
    expect(await runOf(bench, leadId)).to.include({ state: 'paused', due_at: until });
    expect(texts()).to.deep.equal([]);
    await passTime(bench, at.handle, 2 * DAY, 6 * HOUR);
    expect(texts()).to.deep.equal(['one', 'two']);
  });

  it('unless the person asks to be left alone: that ends it', async () => {
    await pause();
    const { person_id } = await runOf(bench, leadId);
    await bench.app.tx({ kind: 'workspaces', ids: [at.ws] }, (tx) =>
      recordReply(tx, {
        now: bench.clock.now(),
        accountId: at.account,
        personId: person_id,
        at: bench.clock.now(),
        replyClass: 'unsubscribe',
        resumeAt: null,
      }),
    );
    expect(await runOf(bench, leadId)).to.include({ state: 'suppressed', end_reason: 'unsubscribed', due_at: null });
  });
});
