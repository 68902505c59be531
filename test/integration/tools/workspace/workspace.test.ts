import { expect } from 'chai';
import { ACME, AcmePeople } from '../../../tools/acme-people.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const NOBODY = '018f0000-0000-7000-8000-0000000000ff';

interface Workspace {
  workspaceId: string;
  name: string;
  timezone: string;
  ownerName: string;
  memberCount: number;
  settings: Record<string, unknown>;
}

describe('tools: workspace, by an MCP client', () => {
  let tools: McpTools;
  let people: AcmePeople;
  let key: ToolUser;
  let owner: ToolUser;
  let rival: ToolUser;

  before(async function () {
    this.timeout(60_000);
    tools = await startMcpTools();
    people = await AcmePeople.of(tools);
    ({ key, owner, rival } = people);
  });
  after(() => tools.stop());

  describe('svc_get_workspace', () => {
    it('shows name, owner, members and settings', async () => {
      const { workspace } = await key.call<{ workspace: Workspace }>('svc_get_workspace');
      expect(workspace).to.deep.include({ workspaceId: 'acme', name: 'acme', ownerName: 'owner@acme.example' });
      expect(workspace.memberCount).to.equal((await people.members()).length);
    });

    it('shows a user only the workspaces of theirs', async () => {
      expect(await owner.refusal('svc_get_workspace', { workspaceId: 'rival' })).to.equal(
        'You are not a member of workspace "rival". Pass a workspaceId from svc_whoami.',
      );
    });
  });

  describe('svc_admin_update_workspace', () => {
    let boss: ToolUser;
    before(async () => {
      const userId = await tools.mcp.user({ admin: true });
      boss = tools.user(await tools.mcp.client((await tools.mcp.key({ userId })).plaintext));
    });
    const change = (input: object): Promise<{ status: string; applied: object }> =>
      boss.call('svc_admin_update_workspace', { workspaceId: 'rival', reason: 'contract', ...input });
    const spec = async (): Promise<unknown> => (await tools.cluster.object('workspaces/outrider/rival'))?.spec;

    it('suspends and restores; plan, agency and limits stand in the resource until null or empty takes them away', async () => {
      const limits = { monthlyCredits: 500, dailyActions: { message: 9 }, executor: { requests: { cpu: '50m' } } };
      const stopped = await change({ status: 'suspended', plan: 'pro', agencyId: 'north', limits });
      expect(stopped).to.deep.include({
        status: 'suspended',
        applied: { status: 'suspended', plan: 'pro', agencyId: 'north', limits },
      });
      const { workspace } = await rival.call<{ workspace: { status: string; plan: string } }>('svc_get_workspace');
      expect(workspace).to.deep.include({ status: 'suspended', plan: 'pro' });
      expect(await spec()).to.deep.include({ operatingMode: 'Suspended', agencyId: 'north' });
      expect(await spec()).to.have.nested.property('limits.monthlyCredits', 500);
      expect(await spec()).to.have.nested.property('executor.resources.requests.cpu', '50m');

      const back = await change({ status: 'active', agencyId: '', limits: { monthlyCredits: null, executor: null } });
      expect(back.status).to.equal('active');
      expect(await spec()).to.not.have.property('agencyId');
      expect(await spec()).to.deep.include({ limits: { dailyActions: { message: 9 } }, plan: 'pro' });
    });

    it('svc_admin_list_workspaces: work that is to be done at once is as late as the wish for it', async () => {
      await tools.force(
        `insert into workspace_wake as k (workspace_id, due_at, woken_at) values ('acme', 0, clock_timestamp() - interval '3 minutes')
         on conflict (workspace_id) do update set due_at = 0, woken_at = excluded.woken_at`,
      );
      await tools.force(
        `update workspace_wake set woken_at = clock_timestamp() - interval '3 minutes' where due_at = 0`,
      );
      const { workspaces } = await boss.call<{ workspaces: { workspaceId: string; executor: { lag: number } }[] }>(
        'svc_admin_list_workspaces',
        {},
      );
      const lag = workspaces.find((one) => one.workspaceId === 'acme')?.executor.lag;
      expect(lag).to.be.within(180_000, 3_600_000);
    });

    it('refuses limits that the resource does not have, and workspaces that are not there', async () => {
      const refusal = (input: object): Promise<string> =>
        boss.refusal('svc_admin_update_workspace', { workspaceId: 'rival', reason: 'x', ...input });
      expect(await refusal({ limits: { leads: 5 } })).to.match(/^Invalid input: limits/);
      expect(await refusal({ limits: { monthlyCredits: -1 } })).to.match(/^Invalid input: limits\.monthlyCredits/);
      expect(await refusal({ workspaceId: NOBODY })).to.equal(
        `Workspace "${NOBODY}" was not found. Call svc_admin_list_workspaces to find valid IDs.`,
      );
    });
  });

  describe('svc_update_workspace', () => {
    it('changes the resource and keeps what is absent', async () => {
      await owner.call('svc_update_workspace', { ...ACME, website: 'https://acme.example', retentionDays: 90 });
      const { settings } = await owner.call<{ settings: Record<string, unknown> }>('svc_update_workspace', {
        ...ACME,
        timezone: 'Europe/Berlin',
        defaultReviewMode: 'all',
        businessHours: { startHour: 8 },
        senderPostalAddress: 'Acme, 1 Road, Town',
      });
      expect(settings).to.deep.include({
        website: 'https://acme.example',
        retentionDays: 90,
        defaultReviewMode: 'all',
        senderPostalAddress: 'Acme, 1 Road, Town',
      });
      expect(settings['businessHours']).to.deep.include({ startHour: 8, endHour: 18, timezoneMode: 'lead' });
      const object = await tools.cluster.object('workspaces/outrider/acme');
      expect(object?.spec).to.deep.include({ timezone: 'Europe/Berlin', owner: 'owner@acme.example' });
      expect(object?.spec).to.have.nested.property('settings.retentionDays', 90);
    });

    it('refuses a timezone and a country that nobody knows', async () => {
      const refusal = (change: object): Promise<string> =>
        owner.refusal('svc_update_workspace', { ...ACME, ...change });
      expect(await refusal({ timezone: 'Mars/Base' })).to.contain('Invalid input: timezone: must be an IANA timezone');
      expect(await refusal({ businessHours: { holidayCountry: 'de' } })).to.contain(
        'Invalid input: businessHours.holidayCountry: must be a country',
      );
    });

    it('an empty text clears, and the name is the one that people see', async () => {
      await owner.call('svc_update_workspace', { ...ACME, name: 'Acme Ltd', senderPostalAddress: '' });
      const { workspace } = await key.call<{ workspace: Workspace }>('svc_get_workspace');
      expect(workspace).to.deep.include({ name: 'Acme Ltd' });
      expect(workspace.settings['senderPostalAddress']).to.equal(null);
      const { workspaceName } = await key.call<{ workspaceName: string }>('svc_whoami');
      expect(workspaceName).to.equal('Acme Ltd');
    });

    it('a playbook by hand is the next version, and the old text stays', async () => {
      await owner.call('svc_update_workspace', { ...ACME, playbook: 'Be kind.' });
      await owner.call('svc_update_workspace', { ...ACME, playbook: 'Be brief.' });
      const read = await key.call<{ playbook: string; manuallyEdited: boolean }>('svc_get_playbook');
      expect(read).to.deep.include({ playbook: 'Be brief.', manuallyEdited: true });
      const texts = await tools.rows<{ text: string }>(
        `select text from playbook where workspace_id = 'acme' order by version`,
      );
      expect(texts.map((row) => row.text)).to.deep.equal(['Be kind.', 'Be brief.']);
    });

    it('a new campaign takes the default review mode', async () => {
      await owner.call('svc_update_workspace', { ...ACME, defaultReviewMode: 'first_touch' });
      const { campaignId } = await key.call<{ campaignId: string }>('svc_create_campaign', { title: 'Reviewed' });
      const { campaign } = await key.call<{ campaign: { settings: { reviewMode: string } } }>('svc_get_campaign', {
        campaignId,
      });
      expect(campaign.settings.reviewMode).to.equal('first_touch');
    });

    it('refuses a timezone that is none, by its path', async () => {
      expect(await owner.refusal('svc_update_workspace', { ...ACME, timezone: 'Mars/Base' })).to.match(
        /^Invalid input: timezone: /,
      );
      expect(await owner.refusal('svc_update_workspace', { ...ACME, businessHours: { timezone: 'Mars' } })).to.match(
        /^Invalid input: businessHours.timezone: /,
      );
      expect(
        await owner.refusal('svc_update_workspace', { ...ACME, businessHours: { timezoneMode: 'fixed' } }),
      ).to.equal('Invalid input: businessHours.timezone: is required when timezoneMode is fixed');
    });

    it('refuses a member who is neither owner nor admin', async () => {
      const plain = await tools.as({ memberOf: ['acme'] });
      expect(await plain.refusal('svc_update_workspace', { ...ACME, name: 'Mine' })).to.equal(
        'Only the owner or an admin of the workspace can change its settings. Call svc_list_members to see who that is.',
      );
    });
  });
});
