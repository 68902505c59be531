import { expect } from 'chai';
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
interface Member {
  memberId: string;
  userId: string;
  email: string;
  role: string;
  lastSeenAt: string | null;
}
interface Invited {
  invitationId: string;
  inviteUrl: string;
  expiresAt: string;
}

describe('tools: workspace, by an MCP client', () => {
  let tools: McpTools;
  let owner: ToolUser;
  let key: ToolUser;
  let rival: ToolUser;

  before(async function () {
    this.timeout(60_000);
    tools = await startMcpTools();
    key = await tools.as({ workspace: 'acme' });
    rival = await tools.as({ workspace: 'rival' });
    const [row] = await tools.rows<{ id: string }>(`select id from app_user where email = 'owner@acme.example'`);
    const made = await tools.mcp.key({ userId: row?.id ?? '' });
    owner = tools.user(await tools.mcp.client(made.plaintext));
  });
  after(() => tools.stop());

  const acme = { workspaceId: 'acme' };
  const members = async (): Promise<Member[]> =>
    (await key.call<{ members: Member[] }>('svc_list_members', { limit: 100 })).members;
  const memberOf = async (email: string): Promise<Member> => {
    const found = (await members()).find((member) => member.email === email);
    if (!found) throw new Error(`${email} is no member`);
    return found;
  };
  const invite = (email: string, role = 'member'): Promise<Invited> =>
    owner.call('svc_create_invitation', { ...acme, email, role });
  const accept = async (url: string, userKey?: string): Promise<{ status: number; body: Record<string, string> }> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(userKey ? { authorization: `Bearer ${userKey}` } : {}) },
      body: JSON.stringify({ name: 'New Person' }),
      signal: AbortSignal.timeout(10_000),
    });
    return { status: response.status, body: (await response.json()) as Record<string, string> };
  };
  /** Invites and accepts. @returns the new member's user key and client */
  const newcomer = async (email: string, role = 'member'): Promise<{ userKey: string; user: ToolUser }> => {
    const { body } = await accept((await invite(email, role)).inviteUrl);
    const userKey = body['key'] ?? '';
    return { userKey, user: tools.user(await tools.mcp.client(userKey)) };
  };

  /** As the mailed link does: a test of its own follows one. */
  const prove = async (email: string): Promise<void> => {
    await tools.rows('update app_user set unproven = false where email = $1', [email]);
  };

  describe('svc_get_workspace', () => {
    it('shows name, owner, members and settings', async () => {
      const { workspace } = await key.call<{ workspace: Workspace }>('svc_get_workspace');
      expect(workspace).to.deep.include({ workspaceId: 'acme', name: 'acme', ownerName: 'owner@acme.example' });
      expect(workspace.memberCount).to.equal((await members()).length);
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
      await owner.call('svc_update_workspace', { ...acme, website: 'https://acme.example', retentionDays: 90 });
      const { settings } = await owner.call<{ settings: Record<string, unknown> }>('svc_update_workspace', {
        ...acme,
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
        owner.refusal('svc_update_workspace', { ...acme, ...change });
      expect(await refusal({ timezone: 'Mars/Base' })).to.contain('Invalid input: timezone: must be an IANA timezone');
      expect(await refusal({ businessHours: { holidayCountry: 'de' } })).to.contain(
        'Invalid input: businessHours.holidayCountry: must be a country',
      );
    });

    it('an empty text clears, and the name is the one that people see', async () => {
      await owner.call('svc_update_workspace', { ...acme, name: 'Acme Ltd', senderPostalAddress: '' });
      const { workspace } = await key.call<{ workspace: Workspace }>('svc_get_workspace');
      expect(workspace).to.deep.include({ name: 'Acme Ltd' });
      expect(workspace.settings['senderPostalAddress']).to.equal(null);
      const { workspaceName } = await key.call<{ workspaceName: string }>('svc_whoami');
      expect(workspaceName).to.equal('Acme Ltd');
    });

    it('a playbook by hand is the next version, and the old text stays', async () => {
      await owner.call('svc_update_workspace', { ...acme, playbook: 'Be kind.' });
      await owner.call('svc_update_workspace', { ...acme, playbook: 'Be brief.' });
      const read = await key.call<{ playbook: string; manuallyEdited: boolean }>('svc_get_playbook');
      expect(read).to.deep.include({ playbook: 'Be brief.', manuallyEdited: true });
      const texts = await tools.rows<{ text: string }>(
        `select text from playbook where workspace_id = 'acme' order by version`,
      );
      expect(texts.map((row) => row.text)).to.deep.equal(['Be kind.', 'Be brief.']);
    });

    it('a new campaign takes the default review mode', async () => {
      await owner.call('svc_update_workspace', { ...acme, defaultReviewMode: 'first_touch' });
      const { campaignId } = await key.call<{ campaignId: string }>('svc_create_campaign', { title: 'Reviewed' });
      const { campaign } = await key.call<{ campaign: { settings: { reviewMode: string } } }>('svc_get_campaign', {
        campaignId,
      });
      expect(campaign.settings.reviewMode).to.equal('first_touch');
    });

    it('refuses a timezone that is none, by its path', async () => {
      expect(await owner.refusal('svc_update_workspace', { ...acme, timezone: 'Mars/Base' })).to.match(
        /^Invalid input: timezone: /,
      );
      expect(await owner.refusal('svc_update_workspace', { ...acme, businessHours: { timezone: 'Mars' } })).to.match(
        /^Invalid input: businessHours.timezone: /,
      );
      expect(
        await owner.refusal('svc_update_workspace', { ...acme, businessHours: { timezoneMode: 'fixed' } }),
      ).to.equal('Invalid input: businessHours.timezone: is required when timezoneMode is fixed');
    });

    it('refuses a member who is neither owner nor admin', async () => {
      const plain = await tools.as({ memberOf: ['acme'] });
      expect(await plain.refusal('svc_update_workspace', { ...acme, name: 'Mine' })).to.equal(
        'Only the owner or an admin of the workspace can change its settings. Call svc_list_members to see who that is.',
      );
    });
  });

  describe('svc_list_members', () => {
    it('tells when a member last called something in the workspace, and of nobody what they do elsewhere', async () => {
      const { user } = await newcomer('seen@x.example');
      const seen = async (): Promise<number | null> => {
        const at = (await memberOf('seen@x.example')).lastSeenAt;
        return at === null ? null : Date.parse(at);
      };
      await user.call('svc_whoami');
      await tools.force(
        `insert into member (id, workspace_id, user_id, role, joined_at) select gen_random_uuid(), 'rival', id, 'member', 1 from app_user where email = 'seen@x.example'`,
      );
      expect(await seen()).to.equal(null);
      const before = tools.cluster.clock.now();
      await user.call('svc_list_campaigns', acme);
      const kept = `select 1 from member m join app_user u on u.id = m.user_id where u.email = 'seen@x.example' and m.last_seen_at is not null`;
      while ((await tools.rows(kept)).length === 0);
      expect(await seen()).to.be.at.least(before);
      const { members: theirs } = await rival.call<{ members: Member[] }>('svc_list_members', { limit: 100 });
      expect(theirs.find((member) => member.email === 'seen@x.example')?.lastSeenAt).to.equal(null);
    });

    it('pages in the order of joining, each member once', async () => {
      const all = await members();
      const seen: string[] = [];
      for (let cursor: string | null = null; ; ) {
        const page: { members: Member[]; nextCursor: string | null } = await key.call('svc_list_members', {
          limit: 1,
          ...(cursor ? { cursor } : {}),
        });
        seen.push(...page.members.map((member) => member.memberId));
        cursor = page.nextCursor;
        if (cursor === null) break;
      }
      expect(seen).to.deep.equal(all.map((member) => member.memberId));
      expect(all.filter((member) => member.role === 'owner')).to.have.length(1);
    });
  });

  describe('svc_update_member_role', () => {
    it('a changed role holds at the next call', async () => {
      const { user } = await newcomer('promoted@x.example');
      expect(await user.refusal('svc_update_workspace', { ...acme, name: 'No' })).to.match(
        /^Only the owner or an admin/,
      );
      const { memberId } = await memberOf('promoted@x.example');
      expect(await owner.call('svc_update_member_role', { ...acme, memberId, role: 'admin' })).to.deep.equal({
        memberId,
        role: 'admin',
      });
      await user.call('svc_update_workspace', { ...acme, name: 'Acme by an admin' });
    });

    it('refuses a missing and a foreign member alike', async () => {
      const [theirs] = (await rival.call<{ members: Member[] }>('svc_list_members')).members;
      for (const memberId of [NOBODY, theirs?.memberId ?? '']) {
        expect(await owner.refusal('svc_update_member_role', { ...acme, memberId, role: 'admin' })).to.equal(
          `Member "${memberId}" was not found. Call svc_list_members to find valid IDs.`,
        );
      }
    });

    it('refuses to leave the workspace without an owner, and who is not owner', async () => {
      const { memberId } = await memberOf('owner@acme.example');
      expect(await owner.refusal('svc_update_member_role', { ...acme, memberId, role: 'member' })).to.match(
        /^The workspace would be left without an owner.*Call svc_list_members\.$/,
      );
      const { user } = await newcomer('second-admin@x.example', 'admin');
      for (const caller of [user, key]) {
        const text = await caller.refusal('svc_update_member_role', { ...acme, memberId, role: 'admin' });
        expect(text).to.match(/^Only the owner, with a user key, can change roles\. Call svc_list_members/);
      }
    });

    it('making somebody owner hands ownership over, in the resource too', async () => {
      const { user } = await newcomer('heir@x.example');
      await prove('heir@x.example');
      const heir = await memberOf('heir@x.example');
      await owner.call('svc_update_member_role', { ...acme, memberId: heir.memberId, role: 'owner' });
      const object = await tools.cluster.object('workspaces/outrider/acme');
      expect(object?.spec).to.deep.include({ owner: 'heir@x.example' });
      expect((await memberOf('heir@x.example')).role).to.equal('owner');
      const former = await memberOf('owner@acme.example');
      expect(former.role).to.equal('member');
      expect(await owner.refusal('svc_create_api_key', { ...acme, name: 'x', scopes: ['leads:read'] })).to.match(
        /^Only the workspace owner/,
      );
      await user.call('svc_update_member_role', { ...acme, memberId: former.memberId, role: 'owner' });
      expect((await memberOf('owner@acme.example')).role).to.equal('owner');
    });
  });

  describe('svc_remove_member', () => {
    it("their user key stops here at the next call, and they are nobody's member any more", async () => {
      const { user } = await newcomer('leaver@x.example');
      await user.call('svc_list_campaigns', acme);
      const { memberId } = await memberOf('leaver@x.example');
      expect(await owner.call('svc_remove_member', { ...acme, memberId })).to.deep.equal({ memberId, removed: true });
      expect(await user.refusal('svc_list_campaigns', acme)).to.equal(
        'You are not a member of workspace "acme". Pass a workspaceId from svc_whoami.',
      );
      expect(await user.call('svc_whoami')).to.deep.include({ workspaces: [] });
      expect((await members()).map((member) => member.email)).to.not.include('leaver@x.example');
    });

    it('the owner cannot be removed, and a plain member removes nobody but themselves', async () => {
      const boss = await memberOf('owner@acme.example');
      expect(await owner.refusal('svc_remove_member', { ...acme, memberId: boss.memberId })).to.equal(
        'The owner cannot be removed; make another member owner first. Call svc_update_member_role.',
      );
      const { user } = await newcomer('self@x.example');
      const heir = await memberOf('heir@x.example');
      expect(await user.refusal('svc_remove_member', { ...acme, memberId: heir.memberId })).to.match(
        /^Only the owner or an admin of the workspace can remove others\. Call svc_list_members/,
      );
      await user.call('svc_remove_member', { ...acme, memberId: (await memberOf('self@x.example')).memberId });
    });

    it('refuses a missing and a foreign member alike', async () => {
      const [theirs] = (await rival.call<{ members: Member[] }>('svc_list_members')).members;
      for (const memberId of [NOBODY, theirs?.memberId ?? '']) {
        expect(await owner.refusal('svc_remove_member', { ...acme, memberId })).to.equal(
          `Member "${memberId}" was not found. Call svc_list_members to find valid IDs.`,
        );
      }
    });
  });

  describe('svc_create_invitation', () => {
    it('a new address that accepts becomes a member with a key of its own, once', async () => {
      const { inviteUrl } = await invite('new@x.example', 'reviewer');
      const shown = await fetch(inviteUrl, { signal: AbortSignal.timeout(10_000) });
      expect(await shown.json()).to.deep.include({ email: 'new@x.example', role: 'reviewer' });
      const { status, body } = await accept(inviteUrl);
      expect([status, body['workspaceId'], body['role']]).to.deep.equal([200, 'acme', 'reviewer']);
      const user = tools.user(await tools.mcp.client(body['key'] ?? ''));
      const who = await user.call<{ workspaces: object[]; user: { name: string } }>('svc_whoami');
      expect(who.workspaces).to.have.length(1);
      expect(who.user.name).to.equal('New Person');
      expect((await memberOf('new@x.example')).role).to.equal('reviewer');
      expect((await accept(inviteUrl)).status).to.equal(410);
    });

    it('who lost the answer accepts again, until the key that it gave was used', async () => {
      const { inviteUrl } = await invite('lost@x.example');
      const lost = await accept(inviteUrl);
      const again = await accept(inviteUrl);
      expect([again.status, again.body['memberId']]).to.deep.equal([200, lost.body['memberId']]);
      expect((await tools.mcp.post(lost.body['key'] ?? '', {})).status).to.equal(401);
      const user = tools.user(await tools.mcp.client(again.body['key'] ?? ''));
      expect((await user.call<{ workspaces: object[] }>('svc_whoami')).workspaces).to.have.length(1);
      expect((await accept(inviteUrl)).status).to.equal(410);
    });

    it('who was removed before the key was used does not come back by the link', async () => {
      const { inviteUrl } = await invite('removed@x.example');
      const { body } = await accept(inviteUrl);
      await owner.call('svc_remove_member', { ...acme, memberId: body['memberId'] });
      expect((await accept(inviteUrl)).status).to.equal(410);
    });

    it('inviting again renews: one invitation, and only the newest link works', async () => {
      const first = await invite('again@x.example');
      const second = await invite('again@x.example', 'admin');
      expect(second.invitationId).to.equal(first.invitationId);
      expect((await accept(first.inviteUrl)).status).to.equal(410);
      expect((await accept(second.inviteUrl)).body['role']).to.equal('admin');
    });

    it('a known address proves itself by its own key, which then opens this workspace too', async () => {
      const { userKey, user } = await newcomer('agency@x.example');
      await prove('agency@x.example');
      const { inviteUrl } = await rival.call<Invited>('svc_create_invitation', { email: 'Agency@x.example' });
      expect((await accept(inviteUrl)).status).to.equal(401);
      const stranger = await newcomer('stranger@x.example');
      expect((await accept(inviteUrl, stranger.userKey)).status).to.equal(401);
      expect((await accept(inviteUrl, userKey)).status).to.equal(200);
      const { workspaces } = await user.call<{ workspaces: { workspaceId: string }[] }>('svc_whoami');
      expect(workspaces.map((one) => one.workspaceId).toSorted()).to.deep.equal(['acme', 'rival']);
    });

    it('a new address gets its key also when the request carries the key of somebody else', async () => {
      const { userKey } = await newcomer('colleague@x.example');
      const { inviteUrl } = await invite('second-address@x.example');
      const { status, body } = await accept(inviteUrl, userKey);
      expect(status).to.equal(200);
      expect(body['key']).to.match(/^csu_/);
      const user = tools.user(await tools.mcp.client(body['key'] ?? ''));
      const who = await user.call<{ workspaces: object[]; user: { email: string } }>('svc_whoami');
      expect([who.user.email, who.workspaces.length]).to.deep.equal(['second-address@x.example', 1]);
    });

    it('the key of an invitation opens no workspace that its user joins in another way', async () => {
      const { user } = await newcomer('bounded@x.example');
      const { userId } = await memberOf('bounded@x.example');
      await tools.rows(
        `insert into member (id, workspace_id, user_id, role, joined_at) values (gen_random_uuid(), 'rival', $1, 'admin', 1)`,
        [userId],
      );
      expect(await user.refusal('svc_list_campaigns', { workspaceId: 'rival' })).to.match(/^You are not a member/);
      const made = await user.call<{ key: string }>('svc_create_api_key', {
        ...acme,
        name: 'wider?',
        keyType: 'user',
        scopes: ['campaigns:read'],
      });
      const second = tools.user(await tools.mcp.client(made.key));
      expect(await second.refusal('svc_list_campaigns', { workspaceId: 'rival' })).to.match(/^You are not a member/);
    });

    it('an expired invitation is gone', async () => {
      const { inviteUrl, expiresAt } = await invite('late@x.example');
      tools.cluster.clock.at = Date.parse(expiresAt) + 1;
      expect((await accept(inviteUrl)).status).to.equal(410);
      tools.cluster.clock.at = undefined;
    });

    it('refuses who is a member already, and a caller who is neither owner nor admin', async () => {
      expect(await owner.refusal('svc_create_invitation', { ...acme, email: 'OWNER@acme.example' })).to.equal(
        'OWNER@acme.example is a member already. Call svc_list_members.',
      );
      const plain = await tools.as({ memberOf: ['acme'] });
      expect(await plain.refusal('svc_create_invitation', { ...acme, email: 'x@x.example' })).to.match(
        /^Only the owner or an admin/,
      );
    });

    it('the link is stored as its hash alone, and a body that is no answer is refused', async () => {
      const { inviteUrl } = await invite('hash@x.example');
      const token = inviteUrl.split('/').at(-1) ?? '';
      const rows = await tools.rows<{ all: string }>('select row_to_json(i)::text as all from invitation i');
      expect(rows.some((row) => row.all.includes(token))).to.equal(false);
      const response = await fetch(inviteUrl, { method: 'POST', body: '{"role":"admin"}' });
      expect(response.status).to.equal(400);
    });
  });

  describe('svc_list_invitations', () => {
    it('lists the open ones of the workspace, newest first', async () => {
      const { invitationId } = await invite('listed@x.example');
      const { invitations } = await key.call<{ invitations: { invitationId: string; email: string; role: string }[] }>(
        'svc_list_invitations',
        { limit: 100 },
      );
      expect(invitations[0]).to.deep.include({ invitationId, email: 'listed@x.example', role: 'member' });
      expect(invitations.map((one) => one.email)).to.not.include('new@x.example');
      const others = await rival.call<{ invitations: { email: string }[] }>('svc_list_invitations');
      expect(others.invitations.map((one) => one.email)).to.not.include('listed@x.example');
    });
  });

  describe('svc_revoke_invitation', () => {
    it('its link stops, also when it is revoked again', async () => {
      const { invitationId, inviteUrl } = await invite('revoked@x.example');
      for (const _ of [1, 2]) {
        expect(await owner.call('svc_revoke_invitation', { invitationId })).to.deep.equal({
          invitationId,
          revoked: true,
        });
      }
      expect((await accept(inviteUrl)).status).to.equal(410);
    });

    it('refuses one that was accepted, a missing one and a foreign one', async () => {
      const { invitationId, inviteUrl } = await invite('taken@x.example');
      await accept(inviteUrl);
      expect(await owner.refusal('svc_revoke_invitation', { invitationId })).to.equal(
        'The invitation was accepted already. Call svc_list_members.',
      );
      for (const [user, id] of [
        [owner, NOBODY],
        [rival, invitationId],
      ] as const) {
        expect(await user.refusal('svc_revoke_invitation', { invitationId: id })).to.equal(
          `Invitation "${id}" was not found. Call svc_list_invitations to find valid IDs.`,
        );
      }
    });
  });
});
