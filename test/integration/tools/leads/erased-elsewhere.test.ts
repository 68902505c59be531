import { expect } from 'chai';
import { leaveTombstone } from '../../../../pkg/store/erasure/erasure.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const PROFILE = 'https://www.linkedin.com/in/era-sed';
const OWN = 'https://www.linkedin.com/in/own-erased';

interface Queued {
  queued: number;
  estimatedCredits: number;
  skipped: object[];
}

describe('who was erased before anybody had a lead of them', () => {
  let tools: McpTools;
  let acme: ToolUser;

  before(async function () {
    this.timeout(60_000);
    tools = await startMcpTools();
    acme = await tools.as({ workspace: 'acme' });
    await tools.account('acme');
    await tools.force(`update workspace set agency_id = 'agency-1' where id in ('acme', 'rival')`);
    const erase = (workspace: string, profileUrl: string): Promise<void> =>
      tools.mcp.platform((tx) => {
        const person = { fullName: '', company: '', email: null, profileUrl };
        return leaveTombstone(tx, workspace, person, { reason: 'client_request', now: 1 });
      });
    await erase('rival', PROFILE);
    await erase('acme', OWN);
  });
  after(() => tools.stop());

  it('is not read and not charged by svc_queue_leads, also where another workspace of the agency shares that', async () => {
    const queue = (): Promise<Queued> =>
      acme.call('svc_queue_leads', { profileUrls: [PROFILE, OWN], estimateOnly: true });
    const own = { profileUrl: OWN, reason: 'suppressed' };
    expect(await queue(), 'not shared').to.deep.include({ queued: 1, estimatedCredits: 1, skipped: [own] });
    await tools.force(
      `update workspace set settings = settings || '{"shareSuppressionWithAgency": true}' where id = 'rival'`,
    );
    expect(await queue()).to.deep.include({
      queued: 0,
      estimatedCredits: 0,
      skipped: [{ profileUrl: PROFILE, reason: 'suppressed' }, own],
    });
  });
});
