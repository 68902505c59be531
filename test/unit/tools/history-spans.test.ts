import { expect } from 'chai';
import { getCampaignStats } from '../../../pkg/tools/campaigns/get-campaign-stats.ts';
import { getWorkflowStats } from '../../../pkg/tools/workflow-execution/get-workflow-stats.ts';

/** What the database says of a statement that its time limit ended. */
const ENDED = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });

describe('figures over a history that takes longer to read than a call may', () => {
  const slow = {
    row: async () => ({ id: 'x', workspace_id: 'w', campaign_id: 'c', created_at: 0 }),
    rows: () => Promise.reject(ENDED),
  };
  const ctx = {
    clocks: { product: { now: () => 1_000 } },
    tx: (work: (tx: typeof slow) => unknown) => work(slow),
  };
  const refusal = async (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error);

  it('are refused with what to narrow', async () => {
    const found = [
      await refusal(getWorkflowStats.run(ctx as never, { workflowId: 'x' } as never)),
      await refusal(getCampaignStats.run(ctx as never, { campaignId: 'x', granularity: 'total' } as never)),
    ];
    for (const one of found) {
      expect(one).to.include({ name: 'UserError' });
      expect((one as Error).message).to.match(/ Give a fromDate that is not so long ago, and call it again\.$/);
    }
  });
});
