import { expect } from 'chai';
import { platformAdmin } from '../../../fixtures/stories/people.ts';
import { type McpTools, startMcpTools } from '../../../tools/mcp-tools.ts';

// Source: catalog, conventions (natural key): its grant of credits is made once.
describe('svc_admin_create_workspace, called again because the answer was lost', function () {
  this.timeout(60_000);
  let tools: McpTools;

  before(async () => {
    tools = await startMcpTools();
  });
  after(() => tools.stop());

  const call = { name: 'Made once', ownerEmail: 'owner@once.example', initialCredits: 50 };
  const made = async (): Promise<{ name: string; credits: number }[]> =>
    tools.rows(
      `select w.name, b.balance::int as credits from workspace w left join credit_balance b on b.workspace_id = w.id where w.name = 'Made once'`,
    );

  it('makes one workspace with its credits; others, later or under a key, are others', async () => {
    const admin = await platformAdmin(tools);
    const first = await admin.call('svc_admin_create_workspace', call);
    expect(await admin.call('svc_admin_create_workspace', call)).to.deep.equal(first);
    const answers = await Promise.all([1, 2, 3].map(() => admin.call('svc_admin_create_workspace', call)));
    expect(answers).to.deep.equal([first, first, first]);
    expect(await made()).to.deep.equal([{ name: 'Made once', credits: 50 }]);
    const more = await admin.call('svc_admin_create_workspace', { ...call, initialCredits: 51 });
    expect(more).to.not.deep.equal(first);
    await admin.call('svc_admin_create_workspace', { ...call, idempotencyKey: 'second' });
    await tools.aMinuteLater();
    const later = await admin.call('svc_admin_create_workspace', call);
    expect(later).to.not.deep.equal(first);
    expect(await made()).to.have.length(4);
  });
});
