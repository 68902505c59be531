import { expect } from 'chai';
import { type ConsoleStage, consoleStage } from '../fixtures/console/console-stage.ts';

describe('the console in a real browser', function () {
  this.timeout(60_000);
  let stage: ConsoleStage;
  before(async () => {
    stage = await consoleStage();
  });

  it('opens', async () => {
    const page = await stage.open(await stage.member(), '');
    await page.getByRole('heading', { name: 'Review' }).waitFor();
    await page.screenshot({ path: '/tmp/ui/real.png' });
    expect(page.problems).to.deep.equal([]);
  });
});
