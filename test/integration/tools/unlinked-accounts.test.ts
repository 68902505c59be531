import { expect } from 'chai';
import { admin, startToolCalls, type ToolCalls } from '../../tools/tool-calls.ts';

const RUNS = 12_000;
/** Runs that one transaction stops at most. */
const PART = 5_000;

describe('an account by which many were written to is unlinked', function () {
  this.timeout(60_000);
  let tools: ToolCalls;
  let accountId: string;
  beforeEach(async () => {
    tools = await startToolCalls();
    const made = await tools.call<{ accountId: string }>(
      'svc_admin_link_account',
      { accountKind: 'network', action: 'register', externalId: 'x', workspaceId: 'acme' },
      admin(),
    );
    accountId = made.accountId;
    await addRuns(accountId, RUNS);
    await addRuns('another', 10);
  });
  afterEach(() => tools.stop());

  const addRuns = (account: string, count: number): Promise<unknown> =>
    tools.rows(
      `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, due_at, entered_at, started_at, account_id)
       select gen_random_uuid(), 'acme', 'flow', 'camp', gen_random_uuid(), 1, 'n', 'waiting', 1, 1, 1, $1 from generate_series(1, $2::int)`,
      [account, count],
    );
  const unlink = (): Promise<{ stoppedRuns: number }> =>
    tools.call(
      'svc_admin_link_account',
      { accountKind: 'network', action: 'unlink', accountId, workspaceId: 'acme' },
      admin(),
    );
  const parts = async (): Promise<number[]> =>
    (
      await tools.rows<{ n: number }>(
        `select count(*)::int as n from run where end_reason = 'account unlinked' group by xmin::text order by 1 desc`,
      )
    ).map((row) => row.n);

  it('its runs stop in transactions of some thousand, those of others go on', async () => {
    expect(await unlink()).to.include({ stoppedRuns: RUNS });
    expect(await parts()).to.deep.equal([PART, PART, RUNS - 2 * PART]);
    expect(await tools.rows(`select 1 from run where ended_at is null`)).to.have.length(10);
    expect(await unlink()).to.include({ stoppedRuns: 0 });
  });
});
