import { expect } from 'chai';
import { type McpStage, MONDAY, missing, NOBODY, startMcpStage } from '../mcp-stage.ts';

interface Account {
  networkAccountId: string;
  status: string;
  tier: string;
  linkedWorkspaces: number;
  workflowIds: string[];
  rampUp: { enabled: boolean; factor: number; day: number };
}
interface Budget {
  action: string;
  window: string;
  limit: number;
  effectiveLimit: number;
  used: number;
  remaining: number;
}

describe('tools: network accounts, by an MCP client', () => {
  let stage: McpStage;
  let shared: string;

  before(async function () {
    this.timeout(60_000);
    stage = await startMcpStage(1);
    shared = await stage.tools.account('acme', 'rival');
  });
  after(() => stage.tools.stop());

  /** One of nobody, and one that is linked to the other workspace alone. */
  const absent = async (name: string): Promise<void> => {
    const theirs = await stage.tools.account('rival');
    for (const networkAccountId of [NOBODY, theirs]) {
      expect(await stage.acme.refusal(name, { networkAccountId })).to.equal(
        missing('Network account', networkAccountId, 'svc_list_network_accounts'),
      );
    }
  };

  describe('svc_list_network_accounts', () => {
    it('lists the linked ones in pages, and narrows by status', async () => {
      const list = (more: object = {}): Promise<{ networkAccounts: Account[]; nextCursor: string | null }> =>
        stage.acme.call('svc_list_network_accounts', more);
      const first = await list({ limit: 1 });
      const second = await list({ limit: 1, cursor: first.nextCursor });
      const ids = [...first.networkAccounts, ...second.networkAccounts].map((one) => one.networkAccountId);
      expect(ids).to.have.members([stage.accountId, shared]);
      expect(second.nextCursor).to.equal(null);
      await stage.tools.rows(`update network_account set status = 'checkpoint' where id = $1`, [shared]);
      const held = await list({ status: 'checkpoint' });
      expect(held.networkAccounts.map((one) => one.networkAccountId)).to.deep.equal([shared]);
      await stage.tools.rows(`update network_account set status = 'ok' where id = $1`, [shared]);
    });
  });

  describe('svc_get_network_account', () => {
    it('shows tier, ramp-up, who shares it, and the workflows that send through it', async () => {
      const workflowId = await stage.workflow();
      await stage.acme.call('svc_update_workflow_status', { workflowId, enabled: true });
      const { networkAccount } = await stage.acme.call<{ networkAccount: Account }>('svc_get_network_account', {
        networkAccountId: shared,
      });
      expect(networkAccount).to.deep.include({ tier: 'basic', status: 'ok', workflowIds: [workflowId] });
      expect(networkAccount.rampUp).to.deep.include({ enabled: false });
      const theirs = await stage.rival.call<{ networkAccount: Account }>('svc_get_network_account', {
        networkAccountId: shared,
      });
      expect(theirs.networkAccount.workflowIds, 'nothing of another workspace').to.deep.equal([]);
    });

    it('answers a missing and a foreign account alike', () => absent('svc_get_network_account'));
  });

  describe('svc_get_network_account_budgets', () => {
    it('tells limit, use and rest, whichever workspace spent it', async () => {
      await stage.tools.rows(
        `insert into account_budget (account_id, action, head_date, used, limit_day, limit_week)
         values ($1, 'message', to_timestamp($2::float8 / 1000)::date, '{7,3,0,0,0,0,0}', 40, 200)`,
        [shared, MONDAY],
      );
      for (const user of [stage.acme, stage.rival]) {
        const { budgets } = await user.call<{ budgets: Budget[] }>('svc_get_network_account_budgets', {
          networkAccountId: shared,
        });
        const of = (window: string): Budget | undefined =>
          budgets.find((one) => one.action === 'message' && one.window === window);
        expect(of('day')).to.deep.include({ limit: 40, used: 7, remaining: 33 });
        expect(of('week')).to.deep.include({ limit: 200, used: 10, remaining: 190 });
      }
    });

    it('answers a missing and a foreign account alike', () => absent('svc_get_network_account_budgets'));
  });
});
