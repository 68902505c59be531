import { expect } from 'chai';
import { objectRef } from '../../../../pkg/api/object.ts';
import { markRehearsal } from '../../../../pkg/store/restore/rehearsal.ts';
import { RESOURCES } from '../../../../pkg/tools/resources/kinds.ts';
import { DAY, HOUR } from '../../../fixtures/stories/engine-fixture.ts';
import {
  type Check,
  type DiagnoseFixture,
  MESSAGE,
  startDiagnoseFixture,
  WAIT,
} from '../../../fixtures/tools/diagnose-fixture.ts';

const PAUSE = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 2 * HOUR } };
const CRAFT = { nodeType: 'ai:craft', label: 'opener', config: { channel: 'message', requireFacts: 0 } };

// What stops a lead's workflow stops the lead: the one who asks for one of them hears the same cause, and the tool that ends it.
describe('svc_diagnose of a lead under way', function () {
  this.timeout(120_000);
  let fixture: DiagnoseFixture;
  before(async () => {
    fixture = await startDiagnoseFixture();
  });
  after(() => fixture.stop());

  const boss = (name: string, input: object): Promise<unknown> => fixture.boss.call(name, { reason: 'test', ...input });
  const acme = (name: string, input: object): Promise<unknown> => fixture.acme.call(name, input);
  let people = 0;
  /** Somebody in a workflow. */
  const somebody = async (...nodes: object[]): Promise<{ leadId: string; workflowId: string }> => {
    const workflowId = await fixture.flow(...nodes);
    const { leads } = await fixture.enrol(workflowId, `Led${++people}`);
    return { leadId: leads[0] ?? '', workflowId };
  };
  const blockerOf = async (target: string, targetId: string): Promise<Check | null> =>
    (await fixture.diagnose(target, targetId)).firstBlocker;
  /** The tool that a lead's first blocker and that of its workflow name, and the lead's. */
  const bothOf = async (at: {
    leadId: string;
    workflowId: string;
  }): Promise<[string | null, string | null, string]> => {
    const [lead, flow] = [await blockerOf('lead', at.leadId), await blockerOf('workflow', at.workflowId)];
    return [lead?.nextTool ?? null, flow?.nextTool ?? null, lead?.detail ?? ''];
  };

  it('who was enrolled by hand needs no score, and for a wait no more than its time', async () => {
    const at = await somebody(WAIT);
    expect(await fixture.diagnose('lead', at.leadId)).to.deep.include({ healthy: true, firstBlocker: null });
  });

  it('who is in a workflow that does nothing in the network needs no profile address there', async () => {
    const workflowId = await fixture.flow(PAUSE);
    await acme('svc_import_leads_csv', { csv: 'First name,Email\nMailonly,only@mail.example\n' });
    const { leads } = await fixture.acme.call<{ leads: { leadId: string }[] }>('svc_search_leads', {
      query: 'Mailonly',
    });
    const leadId = leads[0]?.leadId ?? '';
    expect((await blockerOf('lead', leadId))?.check).to.equal('profile_known');
    await acme('svc_trigger_workflow', { workflowId, leadIds: [leadId] });
    expect(await blockerOf('lead', leadId)).to.equal(null);
  });

  it('a workspace that is held, as a restore leaves it', async () => {
    const at = await somebody(PAUSE, WAIT);
    await fixture.tools.force(
      `insert into hold (workspace_id, kind, id, reason, held_by, created_at) values ('acme', 'workspace', 'acme', 'its resource was gone', 'outrider reconcile', 1)`,
    );
    const [lead, flow, detail] = await bothOf(at);
    expect([lead, flow]).to.deep.equal(['svc_get_workspace', 'svc_get_workspace']);
    expect(detail).to.match(/its resource was gone.*outrider\.dev\/release-hold/);
    expect((await blockerOf('workspace', 'acme'))?.check).to.equal('workspace_running');
    await fixture.tools.force(`delete from hold where kind = 'workspace'`);
    await fixture.pass(0);
    expect(await blockerOf('lead', at.leadId)).to.equal(null);
  });

  it('credits: some are left, but fewer than a lead waits for', async () => {
    await somebody(PAUSE, WAIT);
    await fixture.tools.force(`update run set state = 'blocked', wait_reason = 'credits' where ended_at is null`);
    await boss('svc_admin_adjust_credits', { workspaceId: 'acme', amount: 5, idempotencyKey: 'five' });
    await fixture.tools.force(`update run set state = 'blocked', wait_reason = 'credits' where ended_at is null`);
    const of = (await fixture.diagnose('workspace')).checks.find((check) => check.check === 'credits');
    expect(of).to.include({ ok: false, nextTool: 'svc_admin_adjust_credits' });
    await fixture.pass(3 * HOUR);
  });

  it('a workflow that is disabled', async () => {
    const at = await somebody(PAUSE, MESSAGE);
    for (const enabled of [false, true]) {
      await acme('svc_update_workflow_status', { workflowId: at.workflowId, enabled });
      const tool = enabled ? null : 'svc_update_workflow_status';
      expect((await bothOf(at)).slice(0, 2)).to.deep.equal([tool, tool]);
    }
  });

  it('a campaign that is paused, also by a hold where somebody else owns its state', async () => {
    const at = await somebody(PAUSE, WAIT);
    const { campaignId } = fixture;
    const { client } = fixture.tools.cluster;
    const ref = objectRef(campaignId, 'outrider');
    const owned = { apiVersion: 'outrider.dev/v1alpha1', kind: 'Campaign', metadata: ref, spec: { state: 'active' } };
    for (const owner of ['a tool', 'flux']) {
      if (owner === 'flux') await client.apply(RESOURCES.Campaign, owned, { fieldManager: 'flux', force: true });
      for (const status of ['paused', 'active']) {
        await fixture.acme.call('svc_update_campaign', { campaignId, status }).catch(() => undefined);
        const tool = status === 'active' ? null : 'svc_update_campaign';
        expect((await bothOf(at)).slice(0, 2), `${status} by ${owner}`).to.deep.equal([tool, tool]);
      }
    }
  });

  it('a workspace that is suspended', async () => {
    const at = await somebody(PAUSE, WAIT);
    for (const status of ['suspended', 'active']) {
      await boss('svc_admin_update_workspace', { workspaceId: 'acme', status });
      const tool = status === 'active' ? null : 'svc_admin_update_workspace';
      expect((await bothOf(at)).slice(0, 2)).to.deep.equal([tool, tool]);
    }
  });

  it('a freeze: of the account too, and the one that lasts longest is named', async () => {
    const at = await somebody(PAUSE, MESSAGE, WAIT);
    const until = (days: number): string => new Date(fixture.tools.cluster.clock.now() + days * DAY).toISOString();
    const [short, long] = [until(1), until(3)];
    const scopes = [
      { workspaceId: 'acme', until: short },
      { accountId: fixture.accountId, until: long },
    ];
    for (const scope of scopes) await boss('svc_admin_set_send_freeze', { ...scope, frozen: true });
    await fixture.pass(3 * HOUR);
    const [lead, flow, detail] = await bothOf(at);
    expect([lead, flow]).to.deep.equal(['svc_admin_set_send_freeze', 'svc_admin_set_send_freeze']);
    expect(detail).to.contain(long);
    const account = await blockerOf('network_account', fixture.accountId);
    expect(account?.detail).to.contain(long);
    for (const { until: _, ...scope } of scopes) await boss('svc_admin_set_send_freeze', { ...scope, frozen: false });
    await fixture.pass(HOUR);
    expect(await blockerOf('lead', at.leadId)).to.equal(null);
  });

  it('an account is frozen by what freezes its workspace, and not by what freezes mail', async () => {
    const freeze = (frozen: boolean, more: object): Promise<unknown> =>
      boss('svc_admin_set_send_freeze', { ...more, frozen });
    for (const [more, frozen] of [
      [{ workspaceId: 'acme' }, true],
      [{ channel: 'mail' }, false],
      [{ channel: 'network' }, true],
    ] as const) {
      await freeze(true, more);
      expect((await blockerOf('network_account', fixture.accountId))?.check ?? null).to.equal(
        frozen ? 'send_freeze' : null,
      );
      await freeze(false, more);
    }
  });

  it('a freeze of mail stops no workflow without mail, and is named as what it is', async () => {
    const at = await somebody(PAUSE, MESSAGE, WAIT);
    const mail = { nodeType: 'mail:send', config: { subject: 'S', text: 'T' } };
    const graph = { nodes: [{ nodeType: 'source:manual' }, mail], edges: [{ sourceIndex: 0, targetIndex: 1 }] };
    const made = { campaignId: fixture.campaignId, name: 'Mails', graph };
    const { workflowId } = await fixture.acme.call<{ workflowId: string }>('svc_create_workflow', made);
    await boss('svc_admin_set_send_freeze', { channel: 'mail', frozen: true });
    expect((await bothOf(at)).slice(0, 2)).to.deep.equal([null, null]);
    const ofMails = (await fixture.diagnose('workflow', workflowId)).checks.find((one) => one.check === 'send_freeze');
    const ofAll = await blockerOf('workspace', 'acme');
    expect([ofMails?.ok, ofAll?.check]).to.deep.equal([false, 'send_freeze']);
    expect(ofAll?.detail).to.match(/^Sending is frozen \(platform, mail alone: test\) until/);
    await boss('svc_admin_set_send_freeze', { channel: 'mail', frozen: false });
    await fixture.pass(3 * HOUR);
  });

  it('a freeze of webhooks is named to a workflow that pushes into a CRM, which it holds too', async () => {
    const hook = { nodeType: 'webhook:call', config: { url: 'https://hooks.example.com/x' } };
    const graph = { nodes: [{ nodeType: 'source:manual' }, hook], edges: [{ sourceIndex: 0, targetIndex: 1 }] };
    const made = { campaignId: fixture.campaignId, name: 'Pushes', graph };
    const { workflowId } = await fixture.acme.call<{ workflowId: string }>('svc_create_workflow', made);
    await fixture.tools.force(
      `update workflow_graph set graph = replace(graph::text, 'webhook:call', 'crm:push')::jsonb where workflow_id = $1`,
      [workflowId],
    );
    await boss('svc_admin_set_send_freeze', { channel: 'webhook', frozen: true });
    const { checks } = await fixture.diagnose('workflow', workflowId);
    expect(checks.find((one) => one.check === 'send_freeze')?.ok).to.equal(false);
    await boss('svc_admin_set_send_freeze', { channel: 'webhook', frozen: false });
  });

  it("credits: the campaign's own creditBudget is raised where that is what lacks", async () => {
    await boss('svc_admin_adjust_credits', { workspaceId: 'acme', amount: 50, idempotencyKey: 'grant' });
    const { campaignId } = fixture;
    const writes = await fixture.flow(CRAFT, WAIT);
    await acme('svc_update_campaign', { campaignId, creditBudget: 1 });
    const { leads } = await fixture.enrol(writes, 'Writ1', 'Writ2', 'Writ3');
    const blocked = [];
    for (const leadId of leads) blocked.push(await blockerOf('lead', leadId));
    const tools = [...blocked, await blockerOf('workflow', writes)].map((check) => check?.nextTool ?? null);
    expect(new Set(tools.filter((tool) => tool !== null))).to.deep.equal(new Set(['svc_update_campaign']));
    await acme('svc_update_campaign', { campaignId, creditBudget: 0 });
    await fixture.pass(HOUR);
    expect(await blockerOf('workflow', writes)).to.equal(null);
  });

  it('an account that is paused: both name the tool that resumes it', async () => {
    const at = await somebody(PAUSE, MESSAGE, WAIT);
    const pause = (paused: boolean): Promise<unknown> =>
      acme('svc_update_network_account_settings', { networkAccountId: fixture.accountId, paused });
    await pause(true);
    await fixture.pass(3 * HOUR);
    const { checks } = await fixture.diagnose('workflow', at.workflowId);
    const waiting = checks.find((check) => check.check === 'waiting_account_unhealthy');
    const tool = 'svc_update_network_account_settings';
    expect([(await blockerOf('lead', at.leadId))?.nextTool, waiting?.nextTool]).to.deep.equal([tool, tool]);
    await pause(false);
    await fixture.pass(HOUR);
    expect(await blockerOf('lead', at.leadId)).to.equal(null);
  });

  it('a workflow whose sender is not linked any more: it is given another one', async () => {
    const { accountId } = await fixture.boss.call<{ accountId: string }>('svc_admin_link_account', {
      action: 'register',
      accountKind: 'network',
      workspaceId: 'acme',
      externalId: 'leaves',
    });
    const workflowId = await fixture.flow(PAUSE, MESSAGE, WAIT);
    await acme('svc_update_workflow', { workflowId, networkAccountIds: [accountId] });
    const link = { action: 'unlink', accountKind: 'network', workspaceId: 'acme', accountId };
    await fixture.boss.call('svc_admin_link_account', link);
    const { leads } = await fixture.enrol(workflowId, `Led${++people}`);
    const at = { leadId: leads[0] ?? '', workflowId };
    await fixture.pass(3 * HOUR);
    expect((await bothOf(at)).slice(0, 2)).to.deep.equal(['svc_update_workflow', 'svc_update_workflow']);
    await acme('svc_update_workflow', { workflowId, networkAccountIds: [fixture.accountId] });
    await fixture.pass(2 * HOUR);
    expect(await blockerOf('lead', at.leadId)).to.equal(null);
  });

  it('an account that was not compared since Postgres started', async () => {
    const at = await somebody(PAUSE, MESSAGE, WAIT);
    await fixture.tools.force('update restore_guard set checked_start = pg_postmaster_start_time()');
    await fixture.pass(3 * HOUR);
    const [lead, flow, detail] = await bothOf(at);
    expect([lead, flow]).to.deep.equal(['svc_get_network_account', 'svc_get_network_account']);
    expect(detail).to.match(/compared/);
    await fixture.compare();
    await fixture.pass(HOUR);
    expect(await blockerOf('lead', at.leadId)).to.equal(null);
  });

  it('an account whose provider is not configured here: that is said, and not that it passes by itself', async () => {
    const at = await somebody(PAUSE, MESSAGE, WAIT);
    await fixture.tools.force('update restore_guard set checked_start = pg_postmaster_start_time()');
    await fixture.tools.force('delete from account_guard');
    const [row] = await fixture.tools.rows<{ provider: string }>('select provider from network_account where id = $1', [
      fixture.accountId,
    ]);
    fixture.unconfigured.add(row?.provider ?? '');
    await fixture.pass(3 * HOUR);
    const [lead, flow, detail] = await bothOf(at);
    expect([lead, flow]).to.deep.equal(['svc_admin_link_account', 'svc_admin_link_account']);
    expect(detail)
      .to.match(/not configured/)
      .and.not.match(/passes by itself/);
    fixture.unconfigured.clear();
    await fixture.compare();
    await fixture.pass(HOUR);
    expect(await blockerOf('lead', at.leadId)).to.equal(null);
  });

  // A rehearsal is one for ever: this is the last.
  it('a rehearsal, in which a real account does not act', async () => {
    const at = await somebody(PAUSE, MESSAGE, WAIT);
    await fixture.tools.force(`update network_account set provider = 'unipile' where id = $1`, [fixture.accountId]);
    await fixture.tools.mcp.platform(markRehearsal);
    await fixture.pass(3 * HOUR);
    const [lead, flow, detail] = await bothOf(at);
    expect([lead, flow]).to.deep.equal(['svc_admin_link_account', 'svc_admin_link_account']);
    expect(detail).to.match(/rehearsal/);
  });
});
