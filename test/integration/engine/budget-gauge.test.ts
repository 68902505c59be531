import { expect } from 'chai';
import { BudgetGauge } from '../../../pkg/engine/loop/budget-gauge.ts';
import { type Bench, change, openBench } from '../../fixtures/engine/harness.ts';
import { addAccount } from '../../fixtures/engine/rows.ts';
import { viewThenWait, workflowFixture } from '../../fixtures/engine/workflow-fixture.ts';

describe('what is left of budgets, as metrics', function () {
  this.timeout(60_000);
  let bench: Bench;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());

  it('an account that is linked no more has no series, while its executor lives on', async () => {
    const at = await workflowFixture(bench, viewThenWait);
    const gone = await addAccount(bench.app, [at.ws]);
    await change(
      bench,
      `insert into account_budget (account_id, action, head_date, used, limit_day, limit_week)
       select id, 'message', '2026-01-05', '{1,0,0,0,0,0,0}', 10, 50 from unnest($1::text[]) id
       on conflict (account_id, action) do update set limit_day = 10`,
      [[at.account, gone]],
    );
    const shown = async (): Promise<Set<unknown>> => {
      await new BudgetGauge(at.handle.deps).keep();
      const { values } = await at.handle.deps.metrics.budgetRemaining.get();
      return new Set(values.map(({ labels }) => labels.account));
    };
    expect(await shown()).to.deep.equal(new Set([at.account, gone]));
    await change(bench, 'delete from account_link where account_id = $1', [gone]);
    expect(await shown()).to.deep.equal(new Set([at.account]));
  });
});
