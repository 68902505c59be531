import { expect } from 'chai';
import { objectRef } from '../../../../pkg/api/object.ts';
import type { SpecObject } from '../../../../pkg/kube/types.ts';
import { ProviderError } from '../../../../pkg/providers/network/network-provider.ts';
import { RESOURCES } from '../../../../pkg/tools/resources/kinds.ts';
import { DAY, HOUR } from '../../../fixtures/stories/engine-fixture.ts';
import { describeOutside } from '../../../fixtures/tools/describe-outside.ts';
import {
  type Check,
  type DiagnoseFixture,
  type Diagnosis,
  failedOf,
  MESSAGE,
  startDiagnoseFixture,
  WAIT,
} from '../../../fixtures/tools/diagnose-fixture.ts';
import { diagnoseWorld, type Expected } from '../../../fixtures/tools/diagnose-world.ts';
import { missing, NOBODY } from '../../../fixtures/tools/mcp-fixture.ts';
import { enrolledNowhere } from './enrolled-nowhere.ts';
import { ledByHand } from './led-by-hand.ts';

const WORKFLOW = { apiVersion: 'outrider.dev/v1alpha1', kind: 'Workflow' };

/**
 * Each check is caused and cleared as in life: by tools, the clock, or the network. What clears it is the tool that the
 * check names, with arguments that the check or the tool's answer gives; nothing is put right past the tools.
 */
interface DeadLetter {
  deadLetterId: string;
  kind: string;
  action: string;
  error: string;
  outcomeKnown: boolean;
}

describe('svc_diagnose', function () {
  this.timeout(120_000);
  let fixture: DiagnoseFixture;
  before(async () => {
    fixture = await startDiagnoseFixture();
  });
  after(() => fixture.stop());

  const world = diagnoseWorld(() => fixture);
  const { acme, boss, account, failed, clears, tool } = world;

  describe('the workspace', () => {
    /** A check of the whole workspace, which its workflows have too. */
    const bothOf = async (check: string, named: string): Promise<Expected[]> => [
      { target: 'workspace', check, tool: named },
      { target: 'workflow', targetId: await fixture.flow(WAIT), check, tool: named },
    ];

    it('workspace_running: an admin of the platform sets it to active', async () =>
      clears(
        await bothOf('workspace_running', 'svc_admin_update_workspace'),
        () => boss('svc_admin_update_workspace', { workspaceId: 'acme', status: 'suspended' }),
        (found) => boss(tool(found), { workspaceId: 'acme', status: 'active' }),
      ));

    it('accounts_linked: an admin of the platform links one', async () => {
      const link = (action: string) => ({
        action,
        accountKind: 'network',
        accountId: fixture.accountId,
        workspaceId: 'acme',
      });
      await clears(
        await bothOf('accounts_linked', 'svc_admin_link_account'),
        () => fixture.boss.call('svc_admin_link_account', link('unlink')),
        (found) => fixture.boss.call(tool(found), link('link')),
      );
    });

    it('send_freeze: of the workspace and of an account', async () => {
      const name = 'svc_admin_set_send_freeze';
      const ofAccount = { target: 'network_account', targetId: fixture.accountId, check: 'send_freeze', tool: name };
      for (const [expected, scope] of [
        [await bothOf('send_freeze', name), { workspaceId: 'acme' }],
        [[ofAccount], { accountId: fixture.accountId }],
      ] as const) {
        await clears(
          expected,
          () => boss(name, { ...scope, frozen: true }),
          (found) => boss(tool(found), { ...scope, frozen: false }),
        );
      }
    });

    it('accounts_healthy and account_paused: a paused account is resumed', async () =>
      clears(
        [
          ...(await bothOf('accounts_healthy', 'svc_update_network_account_settings')),
          {
            target: 'network_account',
            targetId: fixture.accountId,
            check: 'account_paused',
            tool: 'svc_update_network_account_settings',
          },
        ],
        () => acme('svc_update_network_account_settings', { ...account(), paused: true }),
        (found) => acme(tool(found), { ...account(), paused: false }),
      ));

    it('accounts_healthy and account_status: what the tool advises is done at the network', () =>
      clears(
        [
          { target: 'workspace', check: 'accounts_healthy', tool: 'svc_get_network_account_health' },
          {
            target: 'network_account',
            targetId: fixture.accountId,
            check: 'account_status',
            tool: 'svc_get_network_account_health',
          },
        ],
        () => {
          fixture.network.status = 'checkpoint';
          return fixture.sync();
        },
        async (found) => {
          // The workspace's check names the account.
          const networkAccountId = /acc-[a-z0-9]+/.exec(found.detail)?.[0] ?? fixture.accountId;
          const { advice } = await fixture.acme.call<{ advice: string[] }>(tool(found), { networkAccountId });
          expect(advice[0]).to.match(/log in at the network and confirm/);
          fixture.network.status = 'ok';
        },
        () => fixture.sync(),
      ));

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

    it('holds: a stop by tool of what another manager says is enabled', async () => {
      const workflowId = await fixture.flow(WAIT);
      const { client } = fixture.tools.cluster;
      const ref = objectRef(workflowId, 'outrider');
      const kind = RESOURCES.Workflow;
      const owned = { ...WORKFLOW, metadata: ref, spec: { enabled: true } };
      await client.apply(kind, owned, { fieldManager: 'flux', force: true });
      await clears(
        [{ target: 'workspace', check: 'holds', tool: 'svc_update_workflow_status' }],
        () => acme('svc_update_workflow_status', { workflowId, enabled: false }),
        (found) => acme(tool(found), { workflowId, enabled: true }),
      );
    });

    it('the first blocker of an empty workspace, and each tool that is named, lead to one that runs', async () => {
      const { rival, followed, workflowId } = await ledByHand(fixture);
      expect(followed).to.deep.equal([
        'accounts_linked: svc_admin_link_account',
        'leads_present: svc_import_leads_csv',
        'workflows_present: svc_create_workflow',
        'workflows_enabled: svc_update_workflow_status',
      ]);
      const diagnose = (): Promise<Diagnosis> => rival.call('svc_diagnose', { target: 'workspace' });
      expect(await diagnose()).to.deep.include({ healthy: true, firstBlocker: null, nextTool: null });

      // Work is due and nobody does it.
      await fixture.tools.force(`update workspace_wake set woken_at = clock_timestamp() - interval '3 minutes'`);
      const late = failedOf(await diagnose()).get('executor');
      const ofWorkflow = { target: 'workflow', targetId: workflowId };
      const seen = failedOf(await rival.call<Diagnosis>('svc_diagnose', ofWorkflow)).get('executor');
      expect([late?.nextTool, seen?.nextTool]).to.deep.equal(['svc_get_workspace', 'svc_get_workspace']);
      // The tool tells what the operator knows; only a pod clears it.
      const { workspace } = await rival.call<{ workspace: { reconcile: object } }>(late?.nextTool ?? '');
      expect(workspace.reconcile).to.have.all.keys(
        'phase',
        'generation',
        'observedGeneration',
        'message',
        'lastTransitionAt',
      );
      await fixture.executorOf('rival');
      expect((await diagnose()).healthy).to.equal(true);
      expect(failedOf(await rival.call<Diagnosis>('svc_diagnose', ofWorkflow)).has('executor')).to.equal(false);
    });
  });

  describe('a workflow', () => {
    it('enabled, hold and campaign_active', async () => {
      const workflowId = await fixture.flow(WAIT);
      const of = { target: 'workflow', targetId: workflowId, tool: 'svc_update_workflow_status' };
      await clears(
        [
          { ...of, check: 'enabled' },
          { ...of, check: 'hold' },
        ],
        () => acme('svc_update_workflow_status', { workflowId, enabled: false }),
        (found) => acme(tool(found), { workflowId, enabled: true }),
      );
      const { campaignId } = fixture;
      await clears(
        [{ ...of, check: 'campaign_active', tool: 'svc_update_campaign' }],
        () => acme('svc_update_campaign', { campaignId, status: 'paused' }),
        (found) => acme(tool(found), { campaignId, status: 'active' }),
      );
    });

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

    it('leads_qualify: leads are scored', async () => {
      const campaignId = await fixture.campaign('Unscored');
      await acme('svc_import_leads_csv', { csv: 'Name,Email,Title\nZed Lead,zed@z.example,CTO\n', campaignId });
      const icp = { campaignId, titles: ['CTO'] };
      const { icpId } = await fixture.acme.call<{ icpId: string }>('svc_create_icp', icp);
      const graph = { nodes: [{ nodeType: 'network:profile_view' }], edges: [] };
      const made = { campaignId, name: 'Pool', graph };
      const { workflowId } = await fixture.acme.call<{ workflowId: string }>('svc_create_workflow', made);
      const { checks } = await fixture.diagnose('workflow', workflowId);
      const found = checks.find((check) => check.check === 'leads_qualify');
      expect([found?.ok, found?.nextTool]).to.deep.equal([false, 'svc_trigger_icp_scoring']);
      await acme(found?.nextTool ?? '', { icpId });
      expect((await failed({ target: 'workflow', targetId: workflowId })).has('leads_qualify')).to.equal(false);
    });

    it('waiting_budget, and budget of the account: the day on which the named tool says there is more', async () => {
      const workflowId = await fixture.flow(MESSAGE, WAIT);
      const of = { target: 'workflow', targetId: workflowId };
      const inAccount = { target: 'network_account', targetId: fixture.accountId };
      const name = 'svc_get_network_account_budgets';
      await clears(
        [
          { ...of, check: 'waiting_budget', tool: name },
          { ...inAccount, check: 'budget', tool: name },
        ],
        async () => {
          await acme('svc_update_network_account_settings', { ...account(), dailyLimits: { message: 1 } });
          await fixture.enrol(workflowId, 'Budget1', 'Budget2');
        },
        async (found, index) => {
          if (index === 0) expect(found.detail).to.contain(fixture.accountId);
          const { budgets } = await fixture.acme.call<{
            budgets: { action: string; window: string; remaining: number; resetsAt: string }[];
          }>(tool(found), account());
          const day = budgets.find((one) => one.action === 'message' && one.window === 'day');
          const { clock } = fixture.tools.cluster;
          if (day?.remaining === 0) clock.at = Date.parse(day.resetsAt);
          if (index === 1) await fixture.pass(DAY);
        },
        () => acme('svc_update_network_account_settings', { ...account(), dailyLimits: { message: 20 } }),
      );
    });

    it('waiting_account_unhealthy: a paused account is resumed, one that the network stopped is confirmed there', async () => {
      const workflowId = await fixture.flow(MESSAGE, WAIT);
      const of = { target: 'workflow', targetId: workflowId, check: 'waiting_account_unhealthy' };
      await clears(
        [{ ...of, tool: 'svc_update_network_account_settings' }],
        async () => {
          await acme('svc_update_network_account_settings', { ...account(), paused: true });
          await fixture.enrol(workflowId, 'Paused');
        },
        (found) => acme(tool(found), { ...account(), paused: false }),
        () => fixture.pass(2 * HOUR),
      );
      await clears(
        [{ ...of, tool: 'svc_get_network_account_health' }],
        async () => {
          fixture.network.status = 'credentials_expired';
          await fixture.sync();
          await fixture.enrol(workflowId, 'Expired');
        },
        async (found) => {
          expect(found.detail).to.contain(fixture.accountId);
          const { advice } = await fixture.acme.call<{ advice: string[] }>(tool(found), account());
          expect(advice[0]).to.match(/connect the account again/);
          fixture.network.status = 'ok';
          await fixture.sync();
        },
        () => fixture.pass(2 * HOUR),
      );
    });

    it('waiting_review, reviews and the run of the lead: the named list leads to the decision', async () => {
      const workflowId = await fixture.flow({ nodeType: 'flow:review' }, MESSAGE, WAIT);
      const name = 'svc_list_review_items';
      await fixture.enrol(workflowId, 'Draft');
      const { runs } = await fixture.acme.call<{ runs: { leadId: string }[] }>('svc_list_workflow_runs', {
        workflowId,
      });
      const run = { target: 'lead', targetId: runs[0]?.leadId, check: 'run', tool: name };
      const expected = [
        { target: 'workflow', targetId: workflowId, check: 'waiting_review', tool: name },
        { target: 'workspace', check: 'reviews', tool: name },
        run,
      ];
      for (const one of expected) expect((await failed(one)).get(one.check)?.nextTool, one.check).to.equal(name);
      const { reviewItems } = await fixture.acme.call<{ reviewItems: { reviewItemId: string }[] }>(name, {
        workflowId,
      });
      await acme('svc_approve_review_item', { reviewItemId: reviewItems[0]?.reviewItemId });
      await fixture.pass(HOUR);
      for (const one of expected) expect([...(await failed(one)).keys()]).to.not.include(one.check);
    });

    it('waiting_credits: credits that are granted are used at once', async () => {
      const craft = { nodeType: 'ai:craft', label: 'opener', config: { channel: 'message', requireFacts: 0 } };
      const workflowId = await fixture.flow(craft, WAIT);
      await clears(
        [
          {
            target: 'workflow',
            targetId: workflowId,
            check: 'waiting_credits',
            tool: 'svc_admin_adjust_credits',
          },
          { target: 'workspace', check: 'credits', tool: 'svc_admin_adjust_credits' },
        ],
        () => fixture.enrol(workflowId, 'Poor'),
        (found) => boss(tool(found), { workspaceId: 'acme', amount: 50, idempotencyKey: 'grant-1' }),
        () => fixture.pass(0),
      );
    });

    it('waiting_send_freeze: the freeze is released', async () => {
      const workflowId = await fixture.flow(MESSAGE, WAIT);
      await clears(
        [{ target: 'workflow', targetId: workflowId, check: 'waiting_send_freeze', tool: 'svc_admin_set_send_freeze' }],
        async () => {
          await boss('svc_admin_set_send_freeze', { workspaceId: 'acme', frozen: true });
          await fixture.enrol(workflowId, 'Frozen');
        },
        (found) => boss(tool(found), { workspaceId: 'acme', frozen: false }),
        () => fixture.pass(HOUR),
      );
    });

    it('waiting_unknown_outcome and dead_letters: the named list leads to the decision', async () => {
      const workflowId = await fixture.flow(MESSAGE, WAIT);
      const name = 'svc_admin_list_dead_letters';
      const listed: DeadLetter[] = [];
      const lookup = fixture.network.lookupOutcome.bind(fixture.network);
      await clears(
        [
          { target: 'workflow', targetId: workflowId, check: 'waiting_unknown_outcome', tool: name },
          { target: 'workspace', check: 'dead_letters', tool: name },
        ],
        async () => {
          let lost = false;
          fixture.network.onPerform = async () => {
            lost = true;
            throw new ProviderError('unknown_outcome', 'socket hang up');
          };
          fixture.network.lookupOutcome = () => Promise.resolve({ unsupported: true });
          await fixture.enrol(workflowId, 'Lost');
          for (let hour = 0; !lost && hour < 12; hour++) await fixture.pass(HOUR);
          // The first look-up is due in some seconds of real time.
          await fixture.tools.force('update send set lookup_after = clock_timestamp() where lookup_after is not null');
          await fixture.lookUp();
          fixture.network.onPerform = undefined;
          fixture.network.lookupOutcome = lookup;
          await fixture.tools.force(
            `insert into node_call (id, workspace_id, workflow_id, campaign_id, run_id, node_id, node_type, lead_id, repeatable, state, epoch, error, claimed_at, dead_letter_at, dead_letter_state)
             values (gen_random_uuid(), 'acme', 'w', 'c', gen_random_uuid(), 'n', 'crm:push', gen_random_uuid(), false, 'settled', 1, 'socket hang up; its look-ups fail', 1, 1, 'open')`,
          );
        },
        async (found) => {
          const { deadLetters } = await fixture.boss.call<{ deadLetters: DeadLetter[] }>(tool(found), {
            workspaceId: 'acme',
          });
          listed.push(...deadLetters);
          for (const { deadLetterId } of deadLetters)
            await boss('svc_admin_resolve_dead_letter', { deadLetterId, resolution: 'mark_done' });
        },
        () => fixture.pass(0),
      );
      const push = listed.find((one) => one.kind === 'automation');
      expect(push).to.include({ action: 'crm:push', outcomeKnown: false });
      expect(push?.error).to.include('socket hang up');
    });
  });

  describe('a lead', () => {
    const score = async (campaignId: string): Promise<string> => {
      const { icpId } = await fixture.acme.call<{ icpId: string }>('svc_create_icp', { campaignId, titles: ['CTO'] });
      return icpId;
    };

    it('scored: none yet, then too low for the campaign that the check names', async () => {
      const campaignId = await fixture.campaign('Picky');
      const [leadId = ''] = await fixture.people(['Low'], { campaignId });
      const icpId = await score(campaignId);
      const of = { target: 'lead', targetId: leadId };
      const unscored = (await failed(of)).get('scored');
      expect(unscored?.nextTool).to.equal('svc_trigger_icp_scoring');
      await acme(unscored?.nextTool ?? '', { icpId });
      const low = (await failed(of)).get('scored');
      expect(low?.nextTool).to.equal('svc_update_campaign');
      const [, total, , named] =
        /Score ([\d.]+) is below the scoreMin (\d+) of campaign (\S+);/.exec(low?.detail ?? '') ?? [];
      expect(named).to.equal(campaignId);
      await acme(low?.nextTool ?? '', { campaignId: named, scoreMin: Math.floor(Number(total)) });
      expect((await failed(of)).has('scored')).to.equal(false);
    });

    it('enrolled, then run: one that is paused is resumed', async () => {
      const workflowId = await fixture.flow(WAIT);
      const [leadId = ''] = await fixture.people(['Idle']);
      const of = { target: 'lead', targetId: leadId };
      const idle = (await failed(of)).get('enrolled');
      expect(idle?.nextTool).to.equal('svc_trigger_workflow');
      const { runIds } = await fixture.acme.call<{ runIds: string[] }>(idle?.nextTool ?? '', {
        workflowId,
        leadIds: [leadId],
      });
      expect((await failed(of)).has('enrolled')).to.equal(false);
      await clears(
        [{ ...of, check: 'run', tool: 'svc_control_workflow_runs' }],
        () => acme('svc_control_workflow_runs', { runIds, action: 'pause' }),
        async (found) => {
          // The check names the run.
          const runId = /Run (\S+) is paused/.exec(found.detail)?.[1];
          await acme(tool(found), { runIds: [runId], action: 'resume' });
        },
      );
    });

    it('profile_known: the address is filled in', async () => {
      await acme('svc_import_leads_csv', { csv: 'First name,Email\nNoura,noura@plain.example\n' });
      const { leads } = await fixture.acme.call<{ leads: { leadId: string }[] }>('svc_search_leads', {
        query: 'Noura',
      });
      const of = { target: 'lead', targetId: leads[0]?.leadId };
      const found = (await failed(of)).get('profile_known');
      expect(found?.nextTool).to.equal('svc_upsert_lead');
      await acme(found?.nextTool ?? '', {
        leadId: leads[0]?.leadId,
        profileUrl: 'https://www.linkedin.com/in/noura-plain',
      });
      expect((await failed(of)).has('profile_known')).to.equal(false);
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

    it('not_erased: nothing brings an erased person back; the named tool gives others', async () => {
      const [leadId = '', other = ''] = await fixture.people(['Gone', 'Stays']);
      await acme('svc_erase_lead', { leadId, reason: 'data_subject_request' });
      const found = (await failed({ target: 'lead', targetId: leadId })).get('not_erased');
      expect(found?.nextTool).to.equal('svc_search_leads');
      const { leads } = await fixture.acme.call<{ leads: { leadId: string }[] }>(found?.nextTool ?? '', { limit: 100 });
      const ids = leads.map((lead) => lead.leadId);
      expect([ids.includes(leadId), ids.includes(other)]).to.deep.equal([false, true]);
      expect((await failed({ target: 'lead', targetId: other })).has('not_erased')).to.equal(false);
    });
  });

  describeOutside(world);
  enrolledNowhere(world);

  // Mocha runs what stands beside the groups before them, and groups in their order: this is the last.
  describe('all together', () => {
    it('each check that can fail was caused, and cleared by the tool that it names', () => {
      expect(fixture.log.unproven(), 'give it a cause and a way out in this file').to.deep.equal([]);
    });
  });

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
        `Invalid input: targetId: is required for target ${target}`,
      );
    }
  });
});
