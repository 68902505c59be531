import { expect } from 'chai';
import { type Bench, change, enrol, openBench, passTime, query } from '../../fixtures/engine/harness.ts';
import { addAccount, addCampaign, addWorkflow } from '../../fixtures/engine/rows.ts';
import { chain, DAY, HOUR, lead, message, workflowFixture } from '../../fixtures/engine/workflow-fixture.ts';

const ALWAYS = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };
const APART = { businessHours: ALWAYS, contactPolicy: { dedupeScope: 'campaign', minDaysBetweenTouches: 2 } };

describe('two campaigns that both write to a person', function () {
  this.timeout(120_000);
  let bench: Bench;
  beforeEach(async () => {
    bench = await openBench();
  });
  afterEach(() => bench.close());

  it('keep the days between two touches, also when both come to it at one moment', async () => {
    const at = await workflowFixture(bench, chain(message('one')), APART);
    const second = await addWorkflow(
      bench.app,
      at.ws,
      await addCampaign(bench.app, at.ws, APART),
      chain(message('other')),
    );
    const other = await addAccount(bench.app, [at.ws]);
    await change(bench, `update network_account set pacing = '{"maxGapSeconds": 0}'`);
    await change(bench, 'update workflow set network_account_ids = $1 where id = $2', [[at.account], at.flow]);
    await change(bench, 'update workflow set network_account_ids = $1 where id = $2', [[other], second]);
    const { leadId } = await lead(bench, at);
    for (const flow of [at.flow, second]) await enrol(bench, at.ws, flow, [leadId]);
    await at.handle.quiet();
    expect(at.network.received).to.have.length(1);
    const waiting = await query<{ wait_reason: string; due_at: number }>(
      bench,
      'select wait_reason, due_at from run where ended_at is null',
    );
    expect(waiting).to.deep.equal([{ wait_reason: 'duration', due_at: bench.clock.now() + 2 * DAY }]);
    await passTime(bench, at.handle, 2 * DAY, 6 * HOUR);
    expect(at.network.received.map((one) => one.text)).to.have.members(['one', 'other']);
  });
});
