import { expect } from 'chai';
import { holdCredits, releaseHold, settleHold } from '../../../../pkg/store/credits/credits.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

interface Entry {
  creditTransactionId: string;
  kind: string;
  amount: number;
  balanceAfter: number;
  heldAfter: number;
  action: string | null;
  campaignId: string | null;
  holdId: string | null;
}
interface Page {
  creditTransactions: Entry[];
  nextCursor: string | null;
}

const NOW = Date.UTC(2026, 2, 10);

describe('tools: credits, by an MCP client', function () {
  this.timeout(60_000);
  let tools: McpTools;
  let acme: ToolUser;
  let rival: ToolUser;
  let admin: ToolUser;
  let campaignId = '';

  before(async () => {
    tools = await startMcpTools();
    acme = await tools.as({ workspace: 'acme' });
    rival = await tools.as({ workspace: 'rival' });
    const userId = await tools.mcp.user({ admin: true });
    const { plaintext } = await tools.mcp.key({ userId });
    admin = tools.user(await tools.mcp.client(plaintext));
    await admin.call('svc_admin_adjust_credits', {
      workspaceId: 'acme',
      amount: 100,
      reason: 'x',
      idempotencyKey: 'g',
    });
    campaignId = (await acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'C' })).campaignId;
    await charge('a', 5, 3, campaignId);
    await charge('b', 4, null);
    await charge('c', 7, undefined);
  });
  after(() => tools.stop());

  /** A hold of `held`, settled with `spent`; null releases it, undefined leaves it. */
  const charge = (key: string, held: number, spent: number | null | undefined, campaign?: string): Promise<void> =>
    tools.mcp.platform(async (tx) => {
      const id = `018f0000-0000-7000-8000-00000000000${key}`;
      await holdCredits(tx, {
        id,
        workspaceId: 'acme',
        amount: held,
        action: key === 'a' ? 'ai_craft' : 'lead_scrape',
        ...(campaign === undefined ? {} : { campaignId: campaign }),
        idempotencyKey: key,
        inputHash: key,
        now: NOW,
      });
      if (spent === null) await releaseHold(tx, id, NOW, 'not found');
      else if (spent !== undefined) await settleHold(tx, id, spent, NOW);
    });
  const list = (input: object = {}, user = acme): Promise<Page> =>
    user.call<Page>('svc_list_credit_transactions', input);

  describe('svc_get_credit_balance', () => {
    it('is what the ledger says: settled is gone, held is not available', async () => {
      const balance = await acme.call('svc_get_credit_balance');
      expect(balance).to.include({ workspaceId: 'acme', balance: 97, held: 7, available: 90 });
    });

    it('shows nothing of another workspace', async () => {
      expect(await rival.call('svc_get_credit_balance')).to.include({ balance: 0, held: 0, available: 0 });
      expect(await rival.refusal('svc_get_credit_balance', { workspaceId: 'acme' })).to.equal(
        'This key is bound to another workspace. Omit workspaceId.',
      );
    });
  });

  describe('svc_list_credit_transactions', () => {
    it('lists every movement, newest first, each with its cause and what it left', async () => {
      const { creditTransactions } = await list();
      expect(creditTransactions.map((one) => [one.kind, one.amount, one.balanceAfter, one.heldAfter])).to.deep.equal([
        ['hold', 7, 97, 7],
        ['release', -4, 97, 0],
        ['hold', 4, 97, 4],
        ['release', -2, 97, 0],
        ['settle', -3, 97, 2],
        ['hold', 5, 100, 5],
        ['grant', 100, 100, 0],
      ]);
    });

    it('narrows by kind, campaign, action and time', async () => {
      expect((await list({ kind: 'settle' })).creditTransactions.map((one) => one.amount)).to.deep.equal([-3]);
      const mine = await list({ campaignId });
      expect(mine.creditTransactions.map((one) => one.kind)).to.deep.equal(['release', 'settle', 'hold']);
      expect((await list({ action: 'lead_scrape' })).creditTransactions).to.have.length(3);
      const at = new Date(NOW).toISOString();
      expect((await list({ fromDate: at, toDate: at })).creditTransactions).to.have.length(0);
      expect((await list({ fromDate: at, toDate: new Date(NOW + 1).toISOString() })).creditTransactions).to.have.length(
        6,
      );
    });

    it('pages without gaps', async () => {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Page = await list({ limit: 3, ...(cursor ? { cursor } : {}) });
        seen.push(...page.creditTransactions.map((one) => one.creditTransactionId));
        cursor = page.nextCursor;
      } while (cursor);
      expect(seen).to.have.length(7);
      expect(new Set(seen).size).to.equal(7);
    });

    it('an unknown or foreign campaign is not found, and another workspace sees nothing', async () => {
      const text = `Campaign "${campaignId}" was not found. Call svc_list_campaigns to find valid IDs.`;
      expect(await rival.refusal('svc_list_credit_transactions', { campaignId })).to.equal(text);
      expect((await list({}, rival)).creditTransactions).to.deep.equal([]);
    });
  });

  describe('svc_get_credit_costs', () => {
    it('names price, unit and condition of every billable action', async () => {
      const { costs } = await acme.call<{ costs: { action: string; credits: number; chargedWhen: string }[] }>(
        'svc_get_credit_costs',
      );
      const of = new Map(costs.map((cost) => [cost.action, cost.credits]));
      expect([of.get('ai_playbook'), of.get('lead_enrich_phone'), of.get('ai_classify')]).to.deep.equal([10, 8, 0]);
      expect(costs.every((cost) => cost.chargedWhen !== '')).to.equal(true);
    });
  });
});
