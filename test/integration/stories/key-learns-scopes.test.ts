import { expect } from 'chai';
import { openWorkspace, platformAdmin, withKeyOf } from '../../fixtures/stories/people.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../tools/mcp-tools.ts';

/** A step of the work and what it makes for the next. */
type Step = (user: ToolUser, made: Record<string, string>) => Promise<object>;

const STEPS: Step[] = [
  (user) => user.call('svc_create_campaign', { title: 'Spring' }),
  (user, { campaignId }) => user.call('svc_create_icp', { campaignId, titles: ['CTO'] }),
  (user, { campaignId }) => user.call('svc_import_leads_csv', { campaignId, csv: 'Email,Title\nada@k.example,CTO\n' }),
  (user, { icpId }) => user.call('svc_trigger_icp_scoring', { icpId }),
  (user, { icpId }) => user.call('svc_get_icp_scores', { icpId, inCampaignOnly: true }),
  (user, { campaignId }) => user.call('svc_get_signal_weights', { campaignId }),
  (user) => user.call('svc_get_credit_balance'),
];

describe('story: a key with few scopes learns from every refusal what it needs', function () {
  this.timeout(60_000);
  let tools: McpTools;
  before(async () => {
    tools = await startMcpTools();
  });
  after(() => tools.stop());

  it('each refusal names the scope, the owner adds just that one, and the work goes on where it stood', async () => {
    const { workspaceId, owner } = await openWorkspace(tools, await platformAdmin(tools), 'umbrella');
    const keyWith = (scopes: string[]): Promise<ToolUser> => withKeyOf(tools, owner, workspaceId, scopes);
    const scopes = ['leads:read'];
    let helper = await keyWith(scopes);
    const made: Record<string, string> = {};
    const learnt: string[] = [];
    for (const step of STEPS) {
      const answer = await step(helper, made).catch(async (error: Error) => {
        const named = /Scope ([a-z_]+:[a-z]+) is required to call (svc_[a-z_]+)\. Call svc_whoami/.exec(error.message);
        if (!named?.[1]) throw error;
        const held = await helper.call<{ scopes: string[] }>('svc_whoami');
        expect(held.scopes).to.have.members(scopes).and.not.include(named[1]);
        learnt.push(named[1]);
        scopes.push(named[1]);
        helper = await keyWith(scopes);
        return step(helper, made);
      });
      Object.assign(made, answer);
    }
    expect(learnt).to.deep.equal([
      'campaigns:write',
      'icps:write',
      'leads:write',
      'icps:read',
      'signals:read',
      'workspace:read',
    ]);
    expect(
      await helper.refusal('svc_update_signal_weights', {
        campaignId: made['campaignId'],
        weights: [{ type: 'new_post' }],
      }),
    ).to.equal(
      'Scope signals:write is required to call svc_update_signal_weights. Call svc_whoami to see the scopes of this key.',
    );
  });
});
