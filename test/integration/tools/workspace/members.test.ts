import { expect } from 'chai';
import { ACME, AcmePeople, type Member } from '../../../tools/acme-people.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const NOBODY = '018f0000-0000-7000-8000-0000000000ff';

describe('tools: members of a workspace, by an MCP client', () => {
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

  describe('svc_list_members', () => {
    it('tells when a member last called something in the workspace, and of nobody what they do elsewhere', async () => {
      const { user } = await people.newcomer('seen@x.example');
      const seen = async (): Promise<number | null> => {
        const at = (await people.memberOf('seen@x.example')).lastSeenAt;
        return at === null ? null : Date.parse(at);
      };
      await user.call('svc_whoami');
      await tools.force(
        `insert into member (id, workspace_id, user_id, role, joined_at) select gen_random_uuid(), 'rival', id, 'member', 1 from app_user where email = 'seen@x.example'`,
      );
      expect(await seen()).to.equal(null);
      const before = tools.cluster.clock.now();
      await user.call('svc_list_campaigns', ACME);
      const kept = `select 1 from member m join app_user u on u.id = m.user_id where u.email = 'seen@x.example' and m.last_seen_at is not null`;
      while ((await tools.rows(kept)).length === 0);
      expect(await seen()).to.be.at.least(before);
      const { members: theirs } = await rival.call<{ members: Member[] }>('svc_list_members', { limit: 100 });
      expect(theirs.find((member) => member.email === 'seen@x.example')?.lastSeenAt).to.equal(null);
    });

    it('pages in the order of joining, each member once', async () => {
      const all = await people.members();
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
      const { user } = await people.newcomer('promoted@x.example');
      expect(await user.refusal('svc_update_workspace', { ...ACME, name: 'No' })).to.match(
        /^Only the owner or an admin/,
      );
      const { memberId } = await people.memberOf('promoted@x.example');
      expect(await owner.call('svc_update_member_role', { ...ACME, memberId, role: 'admin' })).to.deep.equal({
        memberId,
        role: 'admin',
      });
      await user.call('svc_update_workspace', { ...ACME, name: 'Acme by an admin' });
    });

    it('refuses a missing and a foreign member alike', async () => {
      const [theirs] = (await rival.call<{ members: Member[] }>('svc_list_members')).members;
      for (const memberId of [NOBODY, theirs?.memberId ?? '']) {
        expect(await owner.refusal('svc_update_member_role', { ...ACME, memberId, role: 'admin' })).to.equal(
          `Member "${memberId}" was not found. Call svc_list_members to find valid IDs.`,
        );
      }
    });

    it('refuses to leave the workspace without an owner, and who is not owner', async () => {
      const { memberId } = await people.memberOf('owner@acme.example');
      expect(await owner.refusal('svc_update_member_role', { ...ACME, memberId, role: 'member' })).to.match(
        /^The workspace would be left without an owner.*Call svc_list_members\.$/,
      );
      const { user } = await people.newcomer('second-admin@x.example', 'admin');
      for (const caller of [user, key]) {
        const text = await caller.refusal('svc_update_member_role', { ...ACME, memberId, role: 'admin' });
        expect(text).to.match(/^Only the owner, with a user key, can change roles\. Call svc_list_members/);
      }
    });

    it('making somebody owner hands ownership over, in the resource too', async () => {
      const { user } = await people.newcomer('heir@x.example');
      await people.prove('heir@x.example');
      const heir = await people.memberOf('heir@x.example');
      await owner.call('svc_update_member_role', { ...ACME, memberId: heir.memberId, role: 'owner' });
      const object = await tools.cluster.object('workspaces/outrider/acme');
      expect(object?.spec).to.deep.include({ owner: 'heir@x.example' });
      expect((await people.memberOf('heir@x.example')).role).to.equal('owner');
      const former = await people.memberOf('owner@acme.example');
      expect(former.role).to.equal('member');
      expect(await owner.refusal('svc_create_api_key', { ...ACME, name: 'x', scopes: ['leads:read'] })).to.match(
        /^Only the workspace owner/,
      );
      await user.call('svc_update_member_role', { ...ACME, memberId: former.memberId, role: 'owner' });
      expect((await people.memberOf('owner@acme.example')).role).to.equal('owner');
    });
  });

  describe('svc_remove_member', () => {
    it("their user key stops here at the next call, and they are nobody's member any more", async () => {
      const { user } = await people.newcomer('leaver@x.example');
      await user.call('svc_list_campaigns', ACME);
      const { memberId } = await people.memberOf('leaver@x.example');
      expect(await owner.call('svc_remove_member', { ...ACME, memberId })).to.deep.equal({ memberId, removed: true });
      expect(await user.refusal('svc_list_campaigns', ACME)).to.equal(
        'You are not a member of workspace "acme". Pass a workspaceId from svc_whoami.',
      );
      expect(await user.call('svc_whoami')).to.deep.include({ workspaces: [] });
      expect((await people.members()).map((member) => member.email)).to.not.include('leaver@x.example');
    });

    it('the owner cannot be removed, and a plain member removes nobody but themselves', async () => {
      const boss = await people.memberOf('owner@acme.example');
      expect(await owner.refusal('svc_remove_member', { ...ACME, memberId: boss.memberId })).to.equal(
        'The owner cannot be removed; make another member owner first. Call svc_update_member_role.',
      );
      const { user } = await people.newcomer('self@x.example');
      const heir = await people.memberOf('heir@x.example');
      expect(await user.refusal('svc_remove_member', { ...ACME, memberId: heir.memberId })).to.match(
        /^Only the owner or an admin of the workspace can remove others\. Call svc_list_members/,
      );
      await user.call('svc_remove_member', { ...ACME, memberId: (await people.memberOf('self@x.example')).memberId });
    });

    it('refuses a missing and a foreign member alike', async () => {
      const [theirs] = (await rival.call<{ members: Member[] }>('svc_list_members')).members;
      for (const memberId of [NOBODY, theirs?.memberId ?? '']) {
        expect(await owner.refusal('svc_remove_member', { ...ACME, memberId })).to.equal(
          `Member "${memberId}" was not found. Call svc_list_members to find valid IDs.`,
        );
      }
    });
  });
});
