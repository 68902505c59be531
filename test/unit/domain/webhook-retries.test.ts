import { expect } from 'chai';
import { WEBHOOK_RETRIES_MS, webhookRetryAt } from '../../../pkg/domain/webhook-retries.ts';

// Source: catalog, webhook.delivery.
describe('retries of webhooks', () => {
  const minutes = [1, 5, 30, 120, 720, 1_440];

  it('come after 1 m, 5 m, 30 m, 2 h, 12 h and 24 h, a quarter later at most, and there is no seventh', () => {
    expect(WEBHOOK_RETRIES_MS).to.deep.equal(minutes.map((wait) => wait * 60_000));
    for (const [at, wait] of WEBHOOK_RETRIES_MS.entries()) {
      const times = Array.from({ length: 200 }, (_, seed) => webhookRetryAt(at + 1, `d${seed}`, 0) ?? Number.NaN);
      expect(Math.min(...times)).to.be.within(wait, wait * 1.05);
      expect(Math.max(...times)).to.be.within(wait * 1.2, wait * 1.25);
    }
    expect(webhookRetryAt(7, 'd', 0)).to.equal(undefined);
  });

  it('wait as long as the other side asks, and no less than planned', () => {
    expect(webhookRetryAt(1, 'd', 0, 3_600_000)).to.equal(3_600_000);
    expect(webhookRetryAt(2, 'd', 0, 1)).to.be.at.least(300_000);
  });
});
