import { expect } from 'chai';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

interface Events {
  auditEvents: {
    auditEventId: string;
    at: string;
    actor: { kind: string; id: string };
    toolName: string;
    workspaceId: string | null;
    recordType: string;
    recordId: string;
    change: Record<string, unknown>;
  }[];
  chainValid: boolean;
  nextCursor: string | null;
}

describe('what platform admins read', function () {
  this.timeout(60_000);
  let tools: McpTools;
  let admin: ToolUser;
  let adminId: string;

  before(async () => {
    tools = await startMcpTools();
    adminId = await tools.mcp.user({ admin: true });
    admin = tools.user(await tools.mcp.client((await tools.mcp.key({ userId: adminId })).plaintext));
  });
  after(() => tools.stop());

  describe('svc_admin_get_workspace', () => {
    it('shows a workspace with its resource, queues, limits and keys', async () => {
      await admin.call('svc_admin_update_workspace', {
        workspaceId: 'acme',
        limits: { readPerMinute: 77 },
        reason: 'contract',
      });
      const keys = `select count(*)::int as n from api_key where workspace_id = 'acme' and revoked_at is null`;
      const [{ n } = { n: -1 }] = await tools.rows<{ n: number }>(keys);
      const shown = await admin.call('svc_admin_get_workspace', { workspaceId: 'acme' });
      expect(shown['workspace']).to.include({ workspaceId: 'acme', status: 'active', keys: n, members: 1 });
      expect(shown['workspace']).to.include({ ownerEmail: 'owner@acme.example' });
      expect(shown['reconcile']).to.include({ phase: 'pending', generation: 2 });
      expect(shown['limits']).to.deep.equal({ readPerMinute: 77 });
      expect(shown['queues']).to.include({ runsLive: 0, reviewsPending: 0, deadLetters: 0 });
    });

    it('counts what waits there and nothing of another workspace', async () => {
      for (const workspaceId of ['acme', 'acme', 'rival']) {
        await tools.force(
          `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, person_id, graph_version, node_id,
             state, entered_at, started_at, due_at)
           values (gen_random_uuid(), $1, 'w', 'c', gen_random_uuid(), gen_random_uuid(), 1, 'n', 'waiting', 1, 1, 5)`,
          [workspaceId],
        );
      }
      const shown = await admin.call('svc_admin_get_workspace', { workspaceId: 'acme' });
      expect(shown['queues']).to.include({ runsLive: 2, runsDue: 2 });
    });

    it('is a platform admin’s alone', async () => {
      const user = await tools.as({ memberOf: ['acme'] });
      expect(await user.refusal('svc_admin_get_workspace', { workspaceId: 'acme' })).to.match(/admin/);
    });
  });

  describe('svc_admin_list_users', () => {
    it('lists everybody with memberships and the admin flag, page by page', async () => {
      interface Page {
        users: { userId: string; email: string; platformAdmin: boolean; workspaces: object[] }[];
        nextCursor: string | null;
      }
      const seen: Page['users'] = [];
      let cursor: string | null = null;
      do {
        const page: Page = await admin.call<Page>('svc_admin_list_users', { limit: 1, ...(cursor ? { cursor } : {}) });
        seen.push(...page.users);
        cursor = page.nextCursor;
      } while (cursor !== null);
      const [counted] = await tools.rows<{ n: number }>('select count(*)::int as n from app_user');
      expect(new Set(seen.map((user) => user.userId)).size).to.equal(counted?.n);
      expect(seen).to.have.length(counted?.n ?? -1);
      expect(seen.find((user) => user.userId === adminId)).to.include({ platformAdmin: true });
      expect(seen.find((user) => user.email === 'owner@acme.example')).to.deep.include({
        platformAdmin: false,
        workspaces: [{ workspaceId: 'acme', role: 'owner' }],
      });
    });

    it('narrows by workspace and by a part of the address, taken literally', async () => {
      const of = (input: object): Promise<{ users: { email: string }[] }> => admin.call('svc_admin_list_users', input);
      const { users } = await of({ workspaceId: 'rival' });
      expect(users.map((user) => user.email)).to.deep.equal(['owner@rival.example']);
      expect((await of({ query: 'OWNER@AC' })).users.map((user) => user.email)).to.deep.equal(['owner@acme.example']);
      expect((await of({ query: '%' })).users).to.deep.equal([]);
    });
  });

  describe('svc_admin_list_audit_events', () => {
    /** The log is written within a quarter of a second. */
    const listed = async (input: object, enough: (found: Events) => boolean): Promise<Events> => {
      const { clock } = tools.cluster.runtime;
      for (let tries = 0; tries < 100; tries++) {
        const found = await admin.call<Events>('svc_admin_list_audit_events', input);
        if (enough(found)) return found;
        await clock.sleep(50);
      }
      throw new Error(`never listed: ${JSON.stringify(input)}`);
    };

    it('says who did what to which record and why, and that the chain holds', async () => {
      await admin.call('svc_admin_update_workspace', { workspaceId: 'rival', plan: 'team', reason: 'order of March' });
      const input = { workspaceId: 'rival', toolName: 'svc_admin_update_workspace' };
      const found = await listed(input, ({ auditEvents }) => auditEvents.length === 1);
      expect(found.chainValid).to.equal(true);
      const [event] = found.auditEvents;
      expect(event).to.deep.include({ toolName: input.toolName, workspaceId: 'rival', recordType: 'workspace' });
      expect(event?.actor).to.include({ id: adminId });
      expect(event?.change).to.include({ outcome: 'ok', reason: 'order of March' });
      const none = await admin.call<Events>('svc_admin_list_audit_events', {
        ...input,
        toDate: '2000-01-01T00:00:00Z',
      });
      expect(none.auditEvents).to.deep.equal([]);
      const byActor = await admin.call<Events>('svc_admin_list_audit_events', { ...input, actorId: 'somebody-else' });
      expect(byActor.auditEvents).to.deep.equal([]);
    });

    it('finds what was done to a record, page by page, the newest first', async () => {
      const acme = await tools.as({ workspace: 'acme' });
      const { campaignId } = await acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Log' });
      for (const goal of ['x', 'y']) await acme.call('svc_update_campaign', { campaignId, goal });
      const input = { recordId: campaignId, toolName: 'svc_update_campaign' };
      const { auditEvents } = await listed(input, (found) => found.auditEvents.length === 2);
      expect(auditEvents.every((event) => event.recordId === campaignId)).to.equal(true);
      const first = await admin.call<Events>('svc_admin_list_audit_events', { ...input, limit: 1 });
      const rest = await admin.call<Events>('svc_admin_list_audit_events', {
        ...{ ...input, limit: 1 },
        cursor: first.nextCursor,
      });
      expect([...first.auditEvents, ...rest.auditEvents]).to.deep.equal(auditEvents);
      expect(rest.nextCursor).to.equal(null);
    });

    for (const [what, tamper] of [
      ['a changed record', `update audit_event set actor_id = 'nobody' where id = $1`],
      [
        'a record taken away before it',
        `delete from audit_event where (chain, position + 1) = (select chain, position from audit_event where id = $1)`,
      ],
    ] as const) {
      it(`${what} shows: the chain is not valid`, async () => {
        await admin.call('svc_admin_list_workspaces', {});
        await admin.call('svc_admin_list_users', { query: what });
        const input = { toolName: 'svc_admin_list_users', limit: 1 };
        const { auditEvents } = await listed(input, (found) => found.auditEvents.length === 1 && found.chainValid);
        await tools.force(tamper, [auditEvents[0]?.auditEventId]);
        const again = { ...input, toDate: new Date(Date.parse(auditEvents[0]?.at ?? '') + 1).toISOString() };
        expect(await admin.call('svc_admin_list_audit_events', again)).to.include({ chainValid: false });
      });
    }
  });
});
