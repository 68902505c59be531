import { expect } from 'chai';
import { DAY, HOUR } from '../../../fixtures/stories/engine-fixture.ts';
import { MESSAGE, WAIT } from '../../../fixtures/tools/diagnose-fixture.ts';
import type { DiagnoseWorld } from '../../../fixtures/tools/diagnose-world.ts';

interface Triggered {
  enrolled: number;
  skipped: { reason: string }[];
}

/** A lead that is in no workflow: what svc_trigger_workflow answers and what svc_diagnose says of it are one. */
export function enrolledNowhere({ fixtureOf, acme, failed }: DiagnoseWorld): void {
  describe('a lead in no workflow', () => {
    /** A workflow of a new campaign. */
    const elsewhere = async (contactPolicy: object, sources: object[] = [{ nodeType: 'source:manual' }]) => {
      const fixture = fixtureOf();
      const campaignId = await fixture.campaign('Second');
      await acme('svc_update_campaign', { campaignId, contactPolicy });
      const nodes = [...sources, WAIT];
      const graph = { nodes, edges: [{ sourceIndex: 0, targetIndex: 1 }] };
      const made = { campaignId, name: 'Second', graph };
      const { workflowId } = await fixture.acme.call<{ workflowId: string }>('svc_create_workflow', made);
      await acme('svc_update_workflow_status', { workflowId, enabled: true });
      return { campaignId, workflowId };
    };
    const skipOf = async (workflowId: string, leadId: string): Promise<string | undefined> => {
      const answer = await fixtureOf().acme.call<Triggered>('svc_trigger_workflow', { workflowId, leadIds: [leadId] });
      return answer.skipped[0]?.reason;
    };
    const listWith = async (campaignId: string, leadIds: readonly string[]): Promise<string> => {
      const made = { name: 'Moved', campaignId };
      const { leadListId } = await fixtureOf().acme.call<{ leadListId: string }>('svc_create_lead_list', made);
      await acme('svc_add_leads_to_list', { leadListId, leadIds });
      return leadListId;
    };

    it('not_claimed: whom another campaign wrote to lately is taken by this one on the day that the check names', async () => {
      const fixture = fixtureOf();
      const { leads, runs } = await fixture.enrol(await fixture.flow(MESSAGE, WAIT), 'Moved');
      const [leadId = ''] = leads;
      await acme('svc_control_workflow_runs', { runIds: runs, action: 'stop' });
      const of = { target: 'lead', targetId: leadId };
      expect((await failed(of)).has('not_claimed'), 'where nothing asks for days').to.equal(false);
      const { campaignId } = await elsewhere({ dedupeScope: 'workspace', recontactAfterDays: 30 });
      const leadListId = await listWith(campaignId, [leadId]);
      const source = { nodeType: 'source:lead_list', config: { leadListId } };
      const graph = { nodes: [source, WAIT], edges: [{ sourceIndex: 0, targetIndex: 1 }] };
      const made = { campaignId, name: 'By list', graph };
      const { workflowId } = await fixture.acme.call<{ workflowId: string }>('svc_create_workflow', made);
      await acme('svc_update_workflow_status', { workflowId, enabled: true });
      expect(await skipOf(workflowId, leadId)).to.equal('claimed');
      const found = (await failed(of)).get('not_claimed');
      expect(found?.nextTool).to.equal('svc_get_campaign');
      const [, at = '', named, until = ''] =
        /contacted at (\S+), and campaign (\S+) takes them before (\S+) only/.exec(found?.detail ?? '') ?? [];
      expect(named).to.equal(campaignId);
      expect(Date.parse(until) - Date.parse(at)).to.equal(30 * DAY);
      await acme(found?.nextTool ?? '', { campaignId: named });
      fixture.tools.cluster.clock.at = Date.parse(until);
      expect([...(await failed(of)).keys()]).to.not.include('not_claimed');
      expect(await skipOf(workflowId, leadId)).to.equal(undefined);
    });

    it('not_claimed: whose company answered where the policy then leaves it alone', async () => {
      const fixture = fixtureOf();
      const { campaignId, workflowId } = await elsewhere({ stopCompanyOnReply: true });
      const csv = ['Rep,Lied,Shared Firm', 'Col,League,Shared Firm'].map(
        (row, index) => `${row},https://www.linkedin.com/in/p-shared${index}`,
      );
      const file = { csv: `First name,Last name,Company,LinkedIn\n${csv.join('\n')}\n`, campaignId };
      await acme('svc_import_leads_csv', file);
      const { leads } = await fixture.acme.call<{ leads: { leadId: string; firstName: string }[] }>(
        'svc_search_leads',
        {
          query: 'Shared Firm',
        },
      );
      const idOf = (name: string): string => leads.find((lead) => lead.firstName === name)?.leadId ?? '';
      expect(await skipOf(workflowId, idOf('Rep'))).to.equal(undefined);
      await fixture.pass(HOUR);
      await fixture.tools.force(
        `update run set facts = facts || '{"replied": true, "replyClass": "positive"}' where lead_id = $1`,
        [idOf('Rep')],
      );
      await fixture.tools.force(
        `insert into lead_overlay (workspace_id, lead_id, last_replied_at) values ('acme', $1, 1)
         on conflict (workspace_id, lead_id) do update set last_replied_at = 1`,
        [idOf('Rep')],
      );
      await listWith(campaignId, [idOf('Col')]);
      expect(await skipOf(workflowId, idOf('Col'))).to.equal('suppressed');
      const icp = { campaignId, titles: ['CTO'] };
      const { icpId } = await fixture.acme.call<{ icpId: string }>('svc_create_icp', icp);
      await acme('svc_update_campaign', { campaignId, scoreMin: 0 });
      await acme('svc_trigger_icp_scoring', { icpId });
      const of = { target: 'lead', targetId: idOf('Col') };
      const found = (await failed(of)).get('not_claimed');
      expect([found?.nextTool, found?.detail]).to.deep.equal([
        'svc_update_campaign',
        `Somebody of the same company answered, and campaign ${campaignId} leaves the whole company alone then (contactPolicy.stopCompanyOnReply). As long as that is so, svc_trigger_workflow skips the lead.`,
      ]);
      await acme(found?.nextTool ?? '', { campaignId, contactPolicy: { stopCompanyOnReply: false } });
      expect((await failed(of)).has('not_claimed')).to.equal(false);
      expect(await skipOf(workflowId, idOf('Col'))).to.equal(undefined);
    });

    it('leads_qualify: a workflow says what brings it leads, whatever the pool of its campaign has', async () => {
      const fixture = fixtureOf();
      const campaignId = await fixture.campaign('Sources');
      const [leadId = ''] = await fixture.people(['Source'], { campaignId });
      const { icpId } = await fixture.acme.call<{ icpId: string }>('svc_create_icp', { campaignId, titles: ['CTO'] });
      await acme('svc_update_campaign', { campaignId, scoreMin: 0 });
      await acme('svc_trigger_icp_scoring', { icpId });
      const { leadListId } = await fixture.acme.call<{ leadListId: string }>('svc_create_lead_list', { name: 'Empty' });
      for (const [source, tool, input] of [
        [{ nodeType: 'source:lead_list', config: { leadListId } }, 'svc_add_leads_to_list', { leadListId }],
        [{ nodeType: 'source:manual' }, 'svc_trigger_workflow', {}],
      ] as const) {
        const graph = { nodes: [source, WAIT], edges: [{ sourceIndex: 0, targetIndex: 1 }] };
        const made = { campaignId, name: 'By source', graph };
        const { workflowId } = await fixture.acme.call<{ workflowId: string }>('svc_create_workflow', made);
        await acme('svc_update_workflow_status', { workflowId, enabled: true });
        const of = { target: 'workflow', targetId: workflowId };
        const found = (await failed(of)).get('leads_qualify');
        expect(found?.nextTool).to.equal(tool);
        await acme(tool, { ...input, ...(tool === 'svc_trigger_workflow' ? { workflowId } : {}), leadIds: [leadId] });
        expect((await failed(of)).has('leads_qualify')).to.equal(false);
      }
    });

    it('scored: who comes by a list needs none', async () => {
      const fixture = fixtureOf();
      const campaignId = await fixture.campaign('Fed by a list');
      const [leadId = ''] = await fixture.people(['Listed']);
      const leadListId = await listWith(campaignId, [leadId]);
      const of = { target: 'lead', targetId: leadId };
      // Its campaign has nothing to score it by.
      expect((await failed(of)).get('scored')?.nextTool).to.equal('svc_create_icp');
      const source = { nodeType: 'source:lead_list', config: { leadListId } };
      const graph = { nodes: [source, WAIT], edges: [{ sourceIndex: 0, targetIndex: 1 }] };
      const made = { campaignId, name: 'By list', graph };
      const { workflowId } = await fixture.acme.call<{ workflowId: string }>('svc_create_workflow', made);
      await acme('svc_update_workflow_status', { workflowId, enabled: true });
      const { firstBlocker } = await fixture.diagnose('lead', leadId);
      expect([firstBlocker?.check, firstBlocker?.nextTool]).to.deep.equal(['enrolled', 'svc_trigger_workflow']);
      // Nothing feeds from a list that is gone, whatever still stands in it.
      await fixture.tools.force('update lead_list set deleted_at = 1 where id = $1', [leadListId]);
      expect((await failed(of)).get('scored')?.nextTool).to.equal('svc_trigger_icp_scoring');
    });
  });
}
