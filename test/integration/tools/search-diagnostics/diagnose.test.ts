import { expect } from 'chai';
import { objectRef } from '../../../../pkg/api/object.ts';
import type { SpecObject } from '../../../../pkg/kube/types.ts';
import { RESOURCES } from '../../../../pkg/tools/resources/kinds.ts';
import { HOUR } from '../../../fixtures/stories/engine-fixture.ts';
import {
  type Check,
  type DiagnoseFixture,
  failedOf,
  MESSAGE,
  startDiagnoseFixture,
  WAIT,
} from '../../../fixtures/tools/diagnose-fixture.ts';
import { diagnoseWorld } from '../../../fixtures/tools/diagnose-world.ts';
import { missing, NOBODY } from '../../../fixtures/tools/mcp-fixture.ts';
import { enrolledNowhere } from './enrolled-nowhere.ts';

const WORKFLOW = { apiVersion: 'outrider.dev/v1alpha1', kind: 'Workflow' };

// What diagnose-stories.test.ts does not ask: words, times, and what is told where nothing is wrong.
describe('svc_diagnose', function () {
  this.timeout(120_000);
  let fixture: DiagnoseFixture;
  before(async () => {
    fixture = await startDiagnoseFixture();
  });
  after(() => fixture.stop());

  const world = diagnoseWorld(() => fixture);
  const { acme, account, failed, clears, tool } = world;

  describe('the workspace', () => {
    it('accounts_healthy: a paused mailbox alone leads to a network account, for no tool resumes it', async () => {
      // Mailboxes are connected by the command line, and pause themselves when mails bounce.
      await fixture.tools.force(
        `with a as (insert into network_account (id, external_id, kind, provider, status_since, created_at, paused) values ('box', 'box', 'mail', 'smtp', 1, 1, true) returning id)
         insert into account_link (account_id, workspace_id, linked_at) select id, 'rival', 1 from a`,
      );
      const rival = await fixture.tools.as({ workspace: 'rival' });
      const diagnose = async (): Promise<Check | undefined> =>
        failedOf(await rival.call('svc_diagnose', { target: 'workspace' })).get('accounts_healthy');
      const found = await diagnose();
      expect(found?.detail).to.equal(
        'No mailbox can send (box paused), and no network account is linked. An operator resumes a paused mailbox by `outrider mailbox connect <address> --resume`.',
      );
      const account = { accountKind: 'network', externalId: 'beside-box', workspaceId: 'rival' };
      const { accountId } = await fixture.boss.call<{ accountId: string }>(found?.nextTool ?? '', {
        ...account,
        action: 'register',
      });
      expect(await diagnose()).to.equal(undefined);
      const { externalId: _, ...link } = account;
      await fixture.boss.call('svc_admin_link_account', { ...link, action: 'unlink', accountId });
      await fixture.tools.force(`delete from account_link where account_id = 'box'`);
    });
  });

  it('dead_letters: the named list says what it was and why, and its tool ends it', async () => {
    await fixture.tools.force(
      `insert into node_call (id, workspace_id, workflow_id, campaign_id, run_id, node_id, node_type, lead_id, repeatable, state, epoch, error, claimed_at, dead_letter_at, dead_letter_state)
       values (gen_random_uuid(), 'acme', 'w', 'c', gen_random_uuid(), 'n', 'crm:push', gen_random_uuid(), false, 'settled', 1, 'socket hang up; its look-ups fail', 1, 1, 'open')`,
    );
    const found = (await failed({ target: 'workspace' })).get('dead_letters');
    expect(found).to.include({ nextTool: 'svc_admin_list_dead_letters' });
    const { deadLetters } = await fixture.boss.call<{ deadLetters: Record<string, unknown>[] }>(
      'svc_admin_list_dead_letters',
      { workspaceId: 'acme' },
    );
    const [push] = deadLetters;
    expect(push).to.include({ kind: 'automation', action: 'crm:push', outcomeKnown: false });
    expect(push?.['error']).to.include('socket hang up');
    const { deadLetterId } = push ?? {};
    await fixture.boss.call('svc_admin_resolve_dead_letter', { deadLetterId, resolution: 'mark_done', reason: 'test' });
    expect((await failed({ target: 'workspace' })).has('dead_letters')).to.equal(false);
  });

  describe('a workflow', () => {
    it('graph_valid: the graph that is in force is written again; svc_validate_workflow shows the problem too', async () => {
      const workflowId = await fixture.flow(WAIT);
      const { client } = fixture.tools.cluster;
      const ref = objectRef(workflowId, 'outrider');
      await clears(
        [{ target: 'workflow', targetId: workflowId, check: 'graph_valid', tool: 'svc_update_workflow' }],
        async () => {
          // As a version that knew another vocabulary would have left it.
          const { spec } = await client.get<SpecObject>(RESOURCES.Workflow, ref);
          const graph = { nodes: [{ nodeId: 'n', nodeType: 'bad', label: '', config: {} }], edges: [] };
          const left = { ...WORKFLOW, metadata: ref, spec: { ...(spec as object), graph } };
          await client.apply(RESOURCES.Workflow, left, { fieldManager: 'outrider-mcp', force: true });
          expect(await fixture.acme.refusal('svc_update_workflow', { workflowId, name: 'New' })).to.match(/not taken/);
          const judged = await fixture.acme.call<{ valid: boolean; errors: { code: string }[] }>(
            'svc_validate_workflow',
            { workflowId },
          );
          expect([judged.valid, judged.errors[0]?.code]).to.deep.equal([false, 'not_taken']);
        },
        async (found) => {
          const { workflow } = await fixture.acme.call<{ workflow: { graph: { nodes: object[]; edges: object[] } } }>(
            'svc_get_workflow',
            { workflowId },
          );
          await acme(tool(found), { workflowId, graph: workflow.graph });
        },
      );
    });

    it('budget: who waits for it is told when there is more, and nobody that something is wrong', async () => {
      const workflowId = await fixture.flow(MESSAGE, WAIT);
      await acme('svc_update_network_account_settings', { ...account(), dailyLimits: { message: 1 } });
      const { leads } = await fixture.enrol(workflowId, 'Budget1', 'Budget2');
      await fixture.pass(2 * HOUR);
      const { budgets } = await fixture.acme.call<{ budgets: { action: string; window: string; resetsAt: string }[] }>(
        'svc_get_network_account_budgets',
        account(),
      );
      const resetsAt = budgets.find((one) => one.action === 'message' && one.window === 'day')?.resetsAt ?? '';
      const told = [
        await fixture.diagnose('workflow', workflowId),
        await fixture.diagnose('lead', leads[1]),
        await fixture.diagnose('network_account', fixture.accountId),
      ];
      for (const { healthy, reason } of told)
        expect([healthy, reason?.includes(resetsAt)], `${reason}`).to.deep.equal([true, true]);
      expect(told[0]?.reason).to.match(
        /1 leads wait \(budget\) \(acc-\S+\); this passes by itself\. The first acts next/,
      );
      fixture.tools.cluster.clock.at = Date.parse(resetsAt);
      for (let hour = 0; hour < 12; hour++) await fixture.pass(HOUR);
      expect((await fixture.diagnose('workflow', workflowId)).checks.map(({ check }) => check)).to.not.include(
        'waiting_budget',
      );
      await acme('svc_update_network_account_settings', { ...account(), dailyLimits: { message: 20 } });
    });

    it('a draft says when its lead stops, not that it acts next', async () => {
      const workflowId = await fixture.flow({ nodeType: 'flow:review' }, MESSAGE, WAIT);
      const { leads, runs } = await fixture.enrol(workflowId, 'Draft');
      const { reviewItems } = await fixture.acme.call<{ reviewItems: { expiresAt: string }[] }>(
        'svc_list_review_items',
        { workflowId, detail: 'full' },
      );
      const by = reviewItems[0]?.expiresAt;
      const { reason } = await fixture.diagnose('lead', leads[0]);
      expect(reason)
        .to.match(/waits for a person, and the lead stops /)
        .and.to.contain(`${by} if nobody has decided`);
      expect(reason).to.not.match(/acts next/);
      expect((await fixture.diagnose('workflow', workflowId)).reason).to.contain(`the first stops at ${by}`);
      await acme('svc_control_workflow_runs', { runIds: runs, action: 'stop' });
    });

    it('an account that is well again: who waited for it goes on by itself, before anybody has come to them', async () => {
      const workflowId = await fixture.flow(MESSAGE, WAIT);
      const paused = (is: boolean) => acme('svc_update_network_account_settings', { ...account(), paused: is });
      await paused(true);
      const { leads } = await fixture.enrol(workflowId, 'Restored');
      expect((await fixture.diagnose('lead', leads[0])).nextTool).to.equal('svc_update_network_account_settings');
      await paused(false);
      for (const [target, id] of [
        ['lead', leads[0]],
        ['workflow', workflowId],
      ] as const)
        expect(await fixture.diagnose(target, id), target).to.include({ healthy: true, nextTool: null });
      await fixture.pass(HOUR);
    });
  });

  describe('a lead', () => {
    it('who had a turn is judged by the campaign of it, whatever others say', async () => {
      const workflowId = await fixture.flow(MESSAGE, { nodeType: 'flow:end' });
      const { leads } = await fixture.enrol(workflowId, 'Over');
      for (let hour = 0; hour < 12; hour++) await fixture.pass(HOUR);
      const other = await fixture.campaign('Stranger');
      const policy = { dedupeScope: 'workspace', recontactAfterDays: 90 };
      await acme('svc_update_campaign', { campaignId: other, scoreMin: 200, contactPolicy: policy });
      const { icpId } = await fixture.acme.call<{ icpId: string }>('svc_create_icp', {
        campaignId: other,
        titles: ['CTO'],
      });
      await acme('svc_trigger_icp_scoring', { icpId });
      const { healthy, reason } = await fixture.diagnose('lead', leads[0]);
      expect([healthy, reason]).to.satisfy(
        ([is, why]: [boolean, string]) => is && /^Run \S+ ended: completed/.test(why),
      );
    });

    it('not_suppressed: who asked not to be written to stays so; the named tool gives others', async () => {
      const workflowId = await fixture.flow(MESSAGE, WAIT);
      const { leads: ids } = await fixture.enrol(workflowId, 'Stop', 'Willing');
      const [stopped = '', willing = ''] = ids;
      const now = fixture.tools.cluster.clock.now();
      const message = { messageId: 'stop-1', chatId: 'chat-p-stop', text: 'unsubscribe', sentAt: now };
      fixture.network.inbox.push({ ...message, direction: 'in' });
      await fixture.sync();
      const found = (await failed({ target: 'lead', targetId: stopped })).get('not_suppressed');
      expect(found?.detail).to.match(/\(unsubscribe, workspace\): .* no tool lifts it\. svc_search_leads shows/);
      expect(found?.nextTool).to.equal('svc_search_leads');
      const read = await fixture.acme.call<{ lead: { suppression: object } }>('svc_get_lead', { leadId: stopped });
      expect(read.lead.suppression).to.deep.equal({ suppressed: true, sources: ['unsubscribe'] });
      const { leads } = await fixture.acme.call<{ leads: { leadId: string }[] }>(found?.nextTool ?? '', { limit: 100 });
      const shown = leads.map((lead) => lead.leadId);
      expect([shown.includes(stopped), shown.includes(willing)]).to.deep.equal([false, true]);
      expect((await failed({ target: 'lead', targetId: willing })).has('not_suppressed')).to.equal(false);
    });

    it('not_suppressed: says whose decision it was where this workspace excluded the person', async () => {
      const workflowId = await fixture.flow({ nodeType: 'lead:exclude', config: { appliesTo: 'all_outreach' } });
      const { leads } = await fixture.enrol(workflowId, 'Excluded');
      expect((await failed({ target: 'lead', targetId: leads[0] })).get('not_suppressed')?.detail).to.match(
        /\(manual, workspace\): somebody of this workspace excluded them\./,
      );
    });
  });

  enrolledNowhere(world);

  it('refuses a target that is not there, and one without an id', async () => {
    for (const [target, label, list] of [
      ['workflow', 'Workflow', 'svc_list_workflows'],
      ['lead', 'Lead', 'svc_search_leads'],
      ['network_account', 'Network account', 'svc_list_network_accounts'],
    ] as const) {
      expect(await fixture.acme.refusal('svc_diagnose', { target, targetId: NOBODY })).to.equal(
        missing(label, NOBODY, list),
      );
      expect(await fixture.acme.refusal('svc_diagnose', { target })).to.equal(
        `Invalid input: targetId: is required for target ${target}. Call svc_search to find valid IDs.`,
      );
    }
  });
});
