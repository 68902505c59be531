import { expect } from 'chai';
import { ACME, AcmePeople, type Invited } from '../../../tools/acme-people.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const NOBODY = '018f0000-0000-7000-8000-0000000000ff';

describe('tools: invitations, by an MCP client', () => {
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

  describe('svc_create_invitation', () => {
    it('a new address that accepts becomes a member with a key of its own, once', async () => {
      const { inviteUrl } = await people.invite('new@x.example', 'reviewer');
      const shown = await fetch(inviteUrl, { signal: AbortSignal.timeout(10_000) });
      expect(await shown.json()).to.deep.include({ email: 'new@x.example', role: 'reviewer' });
      const { status, body } = await people.accept(inviteUrl);
      expect([status, body['workspaceId'], body['role']]).to.deep.equal([200, 'acme', 'reviewer']);
      const user = tools.user(await tools.mcp.client(body['key'] ?? ''));
      const who = await user.call<{ workspaces: object[]; user: { name: string } }>('svc_whoami');
      expect(who.workspaces).to.have.length(1);
      expect(who.user.name).to.equal('New Person');
      expect((await people.memberOf('new@x.example')).role).to.equal('reviewer');
      expect((await people.accept(inviteUrl)).status).to.equal(410);
    });

    it('who lost the answer accepts again, until the key that it gave was used', async () => {
      const { inviteUrl } = await people.invite('lost@x.example');
      const lost = await people.accept(inviteUrl);
      const again = await people.accept(inviteUrl);
      expect([again.status, again.body['memberId']]).to.deep.equal([200, lost.body['memberId']]);
      expect((await tools.mcp.post(lost.body['key'] ?? '', {})).status).to.equal(401);
      const user = tools.user(await tools.mcp.client(again.body['key'] ?? ''));
      expect((await user.call<{ workspaces: object[] }>('svc_whoami')).workspaces).to.have.length(1);
      expect((await people.accept(inviteUrl)).status).to.equal(410);
    });

    it('who was removed before the key was used does not come back by the link', async () => {
      const { inviteUrl } = await people.invite('removed@x.example');
      const { body } = await people.accept(inviteUrl);
      await owner.call('svc_remove_member', { ...ACME, memberId: body['memberId'] });
      expect((await people.accept(inviteUrl)).status).to.equal(410);
    });

    it('inviting again renews: one invitation, and only the newest link works', async () => {
      const first = await people.invite('again@x.example');
      const second = await people.invite('again@x.example', 'admin');
      expect(second.invitationId).to.equal(first.invitationId);
      expect((await people.accept(first.inviteUrl)).status).to.equal(410);
      expect((await people.accept(second.inviteUrl)).body['role']).to.equal('admin');
    });

    it('a known address proves itself by its own key, which then opens this workspace too', async () => {
      const { userKey, user } = await people.newcomer('agency@x.example');
      await people.prove('agency@x.example');
      const { inviteUrl } = await rival.call<Invited>('svc_create_invitation', { email: 'Agency@x.example' });
      expect((await people.accept(inviteUrl)).status).to.equal(401);
      const stranger = await people.newcomer('stranger@x.example');
      expect((await people.accept(inviteUrl, stranger.userKey)).status).to.equal(401);
      expect((await people.accept(inviteUrl, userKey)).status).to.equal(200);
      const { workspaces } = await user.call<{ workspaces: { workspaceId: string }[] }>('svc_whoami');
      expect(workspaces.map((one) => one.workspaceId).toSorted()).to.deep.equal(['acme', 'rival']);
    });

    it('a new address gets its key also when the request carries the key of somebody else', async () => {
      const { userKey } = await people.newcomer('colleague@x.example');
      const { inviteUrl } = await people.invite('second-address@x.example');
      const { status, body } = await people.accept(inviteUrl, userKey);
      expect(status).to.equal(200);
      expect(body['key']).to.match(/^csu_/);
      const user = tools.user(await tools.mcp.client(body['key'] ?? ''));
      const who = await user.call<{ workspaces: object[]; user: { email: string } }>('svc_whoami');
      expect([who.user.email, who.workspaces.length]).to.deep.equal(['second-address@x.example', 1]);
    });

    it('the key of an invitation opens no workspace that its user joins in another way', async () => {
      const { user } = await people.newcomer('bounded@x.example');
      const { userId } = await people.memberOf('bounded@x.example');
      await tools.rows(
        `insert into member (id, workspace_id, user_id, role, joined_at) values (gen_random_uuid(), 'rival', $1, 'admin', 1)`,
        [userId],
      );
      expect(await user.refusal('svc_list_campaigns', { workspaceId: 'rival' })).to.match(/^You are not a member/);
      const made = await user.call<{ key: string }>('svc_create_api_key', {
        ...ACME,
        name: 'wider?',
        keyType: 'user',
        scopes: ['campaigns:read'],
      });
      const second = tools.user(await tools.mcp.client(made.key));
      expect(await second.refusal('svc_list_campaigns', { workspaceId: 'rival' })).to.match(/^You are not a member/);
    });

    it('an expired invitation is gone', async () => {
      const { inviteUrl, expiresAt } = await people.invite('late@x.example');
      tools.cluster.clock.at = Date.parse(expiresAt) + 1;
      expect((await people.accept(inviteUrl)).status).to.equal(410);
      tools.cluster.clock.at = undefined;
    });

    it('refuses who is a member already, and a caller who is neither owner nor admin', async () => {
      expect(await owner.refusal('svc_create_invitation', { ...ACME, email: 'OWNER@acme.example' })).to.equal(
        'OWNER@acme.example is a member already. Call svc_list_members.',
      );
      const plain = await tools.as({ memberOf: ['acme'] });
      expect(await plain.refusal('svc_create_invitation', { ...ACME, email: 'x@x.example' })).to.match(
        /^Only the owner or an admin/,
      );
    });

    it('the link is stored as its hash alone, and a body that is no answer is refused', async () => {
      const { inviteUrl } = await people.invite('hash@x.example');
      const token = inviteUrl.split('/').at(-1) ?? '';
      const rows = await tools.rows<{ all: string }>('select row_to_json(i)::text as all from invitation i');
      expect(rows.some((row) => row.all.includes(token))).to.equal(false);
      const response = await fetch(inviteUrl, { method: 'POST', body: '{"role":"admin"}' });
      expect(response.status).to.equal(400);
    });
  });

  describe('svc_list_invitations', () => {
    it('lists the open ones of the workspace, newest first', async () => {
      const { invitationId } = await people.invite('listed@x.example');
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
      const { invitationId, inviteUrl } = await people.invite('revoked@x.example');
      for (const _ of [1, 2]) {
        expect(await owner.call('svc_revoke_invitation', { invitationId })).to.deep.equal({
          invitationId,
          revoked: true,
        });
      }
      expect((await people.accept(inviteUrl)).status).to.equal(410);
    });

    it('refuses one that was accepted, a missing one and a foreign one', async () => {
      const { invitationId, inviteUrl } = await people.invite('taken@x.example');
      await people.accept(inviteUrl);
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
