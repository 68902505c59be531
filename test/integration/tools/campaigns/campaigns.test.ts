import { expect } from 'chai';
import type { KubeObject } from '../../../../pkg/kube/types.ts';
import { RESOURCES } from '../../../../pkg/tools/resources/kinds.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const NOBODY = '018f0000-0000-7000-8000-0000000000ff';
const notFound = (id: string): string => `Campaign "${id}" was not found. Call svc_list_campaigns to find valid IDs.`;
const GRAPH = {
  nodes: [
    { nodeType: 'network:profile_view', label: 'Look' },
    { nodeType: 'flow:wait', label: 'Wait', config: { waitType: 'duration', durationMs: 86_400_000 } },
  ],
  edges: [{ sourceIndex: 0, targetIndex: 1 }],
};

interface Campaign {
  campaignId: string;
  title: string;
  status: string;
  settings: Record<string, unknown>;
  counts: Record<string, number>;
}
type Listed<K extends string, T> = { [key in K]: T[] } & { nextCursor: string | null };

describe('tools: campaigns, by an MCP client', () => {
  let tools: McpTools;
  let acme: ToolUser;
  let rival: ToolUser;

  before(async function () {
    this.timeout(60_000);
    tools = await startMcpTools();
    acme = await tools.as({ workspace: 'acme' });
    rival = await tools.as({ workspace: 'rival' });
    await tools.account('acme');
  });
  after(() => tools.stop());

  const create = async (title: string): Promise<string> =>
    (await acme.call<{ campaignId: string }>('svc_create_campaign', { title })).campaignId;
  const read = async (campaignId: string, user = acme): Promise<Campaign> =>
    (await user.call<{ campaign: Campaign }>('svc_get_campaign', { campaignId })).campaign;
  const missing = async (name: string, more: object = {}): Promise<void> => {
    const mine = await create('Theirs');
    expect(await acme.refusal(name, { campaignId: NOBODY, ...more })).to.equal(notFound(NOBODY));
    expect(await rival.refusal(name, { campaignId: mine, ...more })).to.equal(notFound(mine));
  };

  describe('svc_create_campaign', () => {
    it('makes a draft that is a resource and a row', async () => {
      const made = await acme.call<{ campaignId: string; title: string }>('svc_create_campaign', {
        title: 'Spring',
        goal: 'Ten talks',
        description: 'For the new product',
      });
      expect(made.title).to.equal('Spring');
      const object = await tools.cluster.object(`campaigns/outrider/${made.campaignId}`);
      expect(object?.spec).to.deep.include({ title: 'Spring', goal: 'Ten talks', state: 'draft' });
      expect(await read(made.campaignId)).to.deep.include({ title: 'Spring', status: 'draft', goal: 'Ten talks' });
    });

    it('wants a title', async () => {
      expect(await acme.refusal('svc_create_campaign', { title: '' })).to.match(/^Invalid input: title: /);
    });
  });

  describe('svc_list_campaigns', () => {
    it('pages newest first, each campaign once', async () => {
      const made = [await create('One'), await create('Two'), await create('Three')];
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Listed<'campaigns', Campaign> = await acme.call('svc_list_campaigns', {
          limit: 2,
          ...(cursor ? { cursor } : {}),
        });
        seen.push(...page.campaigns.map((one) => one.campaignId));
        cursor = page.nextCursor;
      } while (cursor);
      expect(new Set(seen).size).to.equal(seen.length);
      expect(seen).to.include.members(made);
    });

    it('shows nothing of another workspace', async () => {
      const mine = await create('Secret');
      const page = await rival.call<Listed<'campaigns', Campaign>>('svc_list_campaigns', { limit: 100 });
      expect(page.campaigns.map((one) => one.campaignId)).to.not.include(mine);
    });
  });

  describe('svc_get_campaign', () => {
    it('counts what the campaign holds', async () => {
      const campaignId = await create('Counted');
      await acme.call('svc_create_icp', { campaignId, titles: ['CEO'] });
      await acme.call('svc_create_persona', { campaignId, name: 'Head' });
      await acme.call('svc_create_lead_list', { campaignId, name: 'List' });
      expect((await read(campaignId)).counts).to.include({ icps: 1, personas: 1, leadLists: 1, workflows: 0 });
    });

    it('answers a missing and a foreign campaign alike', () => missing('svc_get_campaign'));
  });

  describe('svc_update_campaign', () => {
    it('changes the resource and keeps what is absent', async () => {
      const campaignId = await create('Before');
      await acme.call('svc_update_campaign', { campaignId, scoreMin: 70, playbookOverride: 'Be brief' });
      await acme.call('svc_update_campaign', { campaignId, title: 'After' });
      const object = await tools.cluster.object(`campaigns/outrider/${campaignId}`);
      expect(object?.spec).to.deep.include({ title: 'After', scoreMin: 70, playbookOverride: 'Be brief' });
    });

    it('hours that are given in part change those in force: what the workspace says of the others goes on', async () => {
      const campaignId = await create('Later');
      const hours = { days: [1, 2, 3], startHour: 10, holidayCountry: 'DE' };
      await acme.call('svc_update_workspace', { businessHours: hours });
      const { settings } = await acme.call<{ settings: { businessHours: object } }>('svc_update_campaign', {
        campaignId,
        businessHours: { endHour: 16 },
      });
      await tools.rows(`update workspace set business_hours = null where id = 'acme'`);
      expect(settings.businessHours).to.deep.equal({ ...hours, endHour: 16, timezoneMode: 'lead' });
    });

    it('refuses a move that the states do not know', async () => {
      const campaignId = await create('Stuck');
      expect(await acme.refusal('svc_update_campaign', { campaignId, status: 'completed' })).to.equal(
        "A campaign can't go from draft to completed. Call svc_get_campaign.",
      );
    });

    it('refuses a country and a timezone that nobody knows; a stop works on a campaign that has them', async () => {
      const campaignId = await create('Abroad');
      const refusal = (businessHours: object): Promise<string> =>
        acme.refusal('svc_update_campaign', { campaignId, businessHours });
      expect(await refusal({ holidayCountry: 'XX' })).to.equal(
        'Invalid input: businessHours.holidayCountry: must be a country whose public holidays are known (ISO 3166 alpha-2, for example DE)',
      );
      expect(await refusal({ timezone: 'Mars/Base' })).to.equal(
        'Invalid input: businessHours.timezone: must be an IANA timezone, for example Europe/Berlin',
      );
      await acme.call('svc_update_campaign', { campaignId, status: 'active', businessHours: { holidayCountry: 'DE' } });
      await tools.cluster.client.apply(
        RESOURCES.Campaign,
        {
          apiVersion: 'outrider.dev/v1alpha1',
          kind: 'Campaign',
          metadata: { name: campaignId, namespace: 'outrider' },
          spec: { businessHours: { holidayCountry: 'XX' } },
        } as KubeObject,
        { fieldManager: 'kubectl', force: true },
      );
      const { status, settings } = await acme.call<Campaign>('svc_update_campaign', { campaignId, status: 'paused' });
      expect(status).to.equal('paused');
      expect(settings['businessHours'], 'the hours before stay in force').to.include({ holidayCountry: 'DE' });
    });

    it('a change whose rows another call met after the resource had it is done all the same', async () => {
      const campaignId = await create('Met');
      await tools.force(`create sequence outrider.met; grant usage on sequence outrider.met to public;
        create function outrider.meet() returns trigger language plpgsql as $$ begin
          if nextval('outrider.met') = 1 then raise exception 'deadlock detected' using errcode = '40P01'; end if; return new; end $$;
        create trigger meet before update on outrider.campaign for each row execute function outrider.meet()`);
      const answer = await acme.call<Campaign>('svc_update_campaign', { campaignId, title: 'Met again' });
      await tools.force('drop function outrider.meet cascade; drop sequence outrider.met');
      expect(answer.title).to.equal('Met again');
      expect((await read(campaignId)).title).to.equal('Met again');
    });

    it('answers a missing and a foreign campaign alike', () => missing('svc_update_campaign', { title: 'x' }));
  });

  describe('svc_get_campaign_stats', () => {
    it('gives an empty funnel for a new campaign', async () => {
      const campaignId = await create('Fresh');
      const stats = await acme.call<{ funnel: { inPool: number }; creditsSpent: number }>('svc_get_campaign_stats', {
        campaignId,
      });
      expect([stats.funnel.inPool, stats.creditsSpent]).to.deep.equal([0, 0]);
    });

    it('answers a missing and a foreign campaign alike', () => missing('svc_get_campaign_stats'));
  });

  describe('svc_delete_campaign', () => {
    const full = async (title: string): Promise<string> => {
      const campaignId = await create(title);
      await acme.call('svc_create_icp', { campaignId, titles: ['CEO'] });
      await acme.call('svc_create_persona', { campaignId, name: 'Head' });
      await acme.call('svc_create_phase', { campaignId, name: 'First', phaseType: 'outreach' });
      return campaignId;
    };

    it('takes its content and its workflows, cancels live runs, and leaves leads and lists', async () => {
      const campaignId = await full('Old');
      const graph = { nodes: [{ nodeType: 'source:manual' }, ...GRAPH.nodes], edges: [] as object[] };
      graph.edges = [0, 1].map((index) => ({ sourceIndex: index, targetIndex: index + 1 }));
      const { workflowId } = await acme.call('svc_create_workflow', { campaignId, name: 'Flow', graph });
      const { leadListId } = await acme.call('svc_create_lead_list', { campaignId, name: 'Kept' });
      const csv = 'Name,Email\nAda One,ada@one.example\nBo Two,bo@two.example\n';
      await acme.call('svc_import_leads_csv', { csv, leadListId });
      const { leads } = await acme.call<{ leads: { leadId: string }[] }>('svc_get_lead_list', { leadListId });
      const leadIds = leads.map((lead) => lead.leadId);
      await acme.call('svc_update_workflow_status', { workflowId, enabled: true });
      await acme.call('svc_trigger_workflow', { workflowId, leadIds });
      await acme.call('svc_update_campaign', { campaignId, status: 'paused' });

      expect(await acme.call('svc_delete_campaign', { campaignId, confirmTitle: 'Old' })).to.deep.equal({
        campaignId,
        deleted: true,
        cancelledRuns: 2,
      });
      expect(await tools.cluster.object(`campaigns/outrider/${campaignId}`)).to.satisfy(
        (object: { metadata: { deletionTimestamp?: string } } | undefined) =>
          object === undefined || object.metadata.deletionTimestamp !== undefined,
      );
      expect(await acme.refusal('svc_get_campaign', { campaignId })).to.equal(notFound(campaignId));
      expect(await acme.refusal('svc_get_workflow', { workflowId })).to.contain('was not found');
      const runs = await tools.rows<{ state: string }>('select state from run where campaign_id = $1', [campaignId]);
      expect(runs.map((run) => run.state)).to.deep.equal(['stopped', 'stopped']);
      const left = await tools.rows<{ n: number }>(
        `select (select count(*) from icp where campaign_id = $1 and deleted_at is null)
           + (select count(*) from persona where campaign_id = $1) + (select count(*) from phase where campaign_id = $1) as n`,
        [campaignId],
      );
      expect(left[0]?.n).to.equal(0);
      expect((await acme.call<{ lead: object }>('svc_get_lead', { leadId: leadIds[0] })).lead).to.include({
        email: leads.length ? (leads[0] as unknown as { email: string }).email : '',
      });
      const list = await acme.call<{ leadList: { leadCount: number; campaignId: string | null } }>(
        'svc_get_lead_list',
        { leadListId },
      );
      expect(list.leadList).to.include({ leadCount: 2, campaignId: null });
    });

    it('wants an active campaign paused first, and the title as it is', async () => {
      const campaignId = await full('Running');
      await acme.call('svc_update_campaign', { campaignId, status: 'active' });
      expect(await acme.refusal('svc_delete_campaign', { campaignId, confirmTitle: 'Running' })).to.equal(
        'The campaign is active; pause it first (status: paused). Call svc_update_campaign.',
      );
      await acme.call('svc_update_campaign', { campaignId, status: 'paused' });
      expect(await acme.refusal('svc_delete_campaign', { campaignId, confirmTitle: 'running' })).to.equal(
        'Invalid input: confirmTitle: differs from the title of the campaign. Call svc_get_campaign to read it.',
      );
      expect(await read(campaignId)).to.include({ status: 'paused' });
    });

    it('answers a missing and a foreign campaign alike', () => missing('svc_delete_campaign', { confirmTitle: 'x' }));
  });

  describe('svc_duplicate_campaign', () => {
    interface Copy {
      campaignId: string;
      title: string;
      copied: { icps: number; personas: number; phases: number; workflows: number; warnings: string[] };
    }
    interface Flow {
      workflowId: string;
      name: string;
      enabled: boolean;
    }
    const original = async (): Promise<{ campaignId: string; icpId: string }> => {
      const campaignId = await create('Q1');
      await acme.call('svc_update_campaign', {
        campaignId,
        goal: 'Talks',
        playbookOverride: 'Be brief',
        scoreMin: 61,
        reviewMode: 'all',
        signalWeights: { new_post: 9 },
        businessHours: { timezoneMode: 'account', startHour: 8 },
        creditBudget: 500,
      });
      const { icpId } = await acme.call<{ icpId: string }>('svc_create_icp', { campaignId, titles: ['CEO', 'CTO'] });
      await acme.call('svc_create_persona', { campaignId, name: 'Head', painPoints: ['slow'] });
      for (const name of ['First', 'Second'])
        await acme.call('svc_create_phase', { campaignId, name, phaseType: 'outreach', objectives: [name] });
      const graph = {
        nodes: [{ nodeType: 'source:campaign_pool', config: { icpIds: [icpId] } }, ...GRAPH.nodes],
        edges: [0, 1].map((index) => ({ sourceIndex: index, targetIndex: index + 1 })),
      };
      const { workflowId } = await acme.call('svc_create_workflow', { campaignId, name: 'Flow', graph });
      await acme.call('svc_update_workflow_status', { workflowId, enabled: true });
      await acme.call('svc_import_leads_csv', { csv: 'Name,Email\nAda,ada@copy.example\n', campaignId });
      return { campaignId, icpId };
    };

    it('copies settings and content into a draft with disabled workflows, and no lead', async () => {
      const { campaignId, icpId } = await original();
      const copy = await acme.call<Copy>('svc_duplicate_campaign', { campaignId });
      expect(copy).to.deep.include({
        title: 'Q1 (copy)',
        copied: { icps: 1, personas: 1, phases: 2, workflows: 1, warnings: [] },
      });
      const [before, after] = [await read(campaignId), await read(copy.campaignId)];
      expect(after.settings).to.deep.equal(before.settings);
      expect(after).to.include({ status: 'draft', goal: 'Talks' });
      expect(after.counts).to.include({ icps: 1, personas: 1, phases: 2, workflows: 1, leadLists: 0, leadsInPool: 0 });
      const { workflows } = await acme.call<Listed<'workflows', Flow>>('svc_list_workflows', {
        campaignId: copy.campaignId,
      });
      expect(workflows.map((flow) => [flow.name, flow.enabled])).to.deep.equal([['Flow', false]]);
      const { icps } = await acme.call<Listed<'icps', { icpId: string; titles: string[] }>>('svc_list_icps', {
        campaignId: copy.campaignId,
      });
      expect(icps[0]?.titles).to.deep.equal(['CEO', 'CTO']);
      expect(icps[0]?.icpId).to.not.equal(icpId);
      const { workflow } = await acme.call<{ workflow: { graph: { nodes: { config: object }[] } } }>(
        'svc_get_workflow',
        { workflowId: workflows[0]?.workflowId },
      );
      // The copy's source names the copy's ICP.
      expect(workflow.graph.nodes[0]?.config).to.deep.include({ icpIds: [icps[0]?.icpId] });
    });

    it('workflows of the copy hand over to those of the copy, never to the original', async () => {
      const campaignId = await create('Relay');
      const handing = (workflowId: string): object => ({
        nodes: [{ nodeType: 'network:profile_view' }, { nodeType: 'flow:handoff', config: { workflowId } }],
        edges: [{ sourceIndex: 0, targetIndex: 1 }],
      });
      const flow = async (name: string, graph: object, of = campaignId): Promise<string> =>
        (await acme.call<Flow>('svc_create_workflow', { campaignId: of, name, graph })).workflowId;
      const outside = await flow('Outside', GRAPH, await create('Elsewhere'));
      const last = await flow('Last', handing(outside));
      const first = await flow('First', handing(last));
      await acme.call('svc_update_workflow', { workflowId: last, graph: handing(first) });
      await flow('Leaving', handing(outside));
      const copy = await acme.call<Copy>('svc_duplicate_campaign', { campaignId });
      const { workflows } = await acme.call<Listed<'workflows', Flow>>('svc_list_workflows', {
        campaignId: copy.campaignId,
      });
      const target = async (name: string): Promise<unknown> => {
        const { workflow } = await acme.call<{ workflow: { graph: { nodes: { config: { workflowId?: string } }[] } } }>(
          'svc_get_workflow',
          { workflowId: workflows.find((one) => one.name === name)?.workflowId },
        );
        const id = workflow.graph.nodes[1]?.config.workflowId;
        return workflows.find((one) => one.workflowId === id)?.name ?? id;
      };
      expect([await target('First'), await target('Last'), await target('Leaving')]).to.deep.equal([
        'Last',
        'First',
        outside,
      ]);

      const both = await tools.as({ memberOf: ['acme', 'rival'] });
      const { copied } = await both.call<Copy>('svc_duplicate_campaign', { campaignId, targetWorkspaceId: 'rival' });
      expect(copied.warnings).to.deep.equal([
        '1 workflows name records of the other workspace (workflowId); give them those of this workspace with svc_update_workflow.',
      ]);
    });

    it('goes into another workspace of the user, and into no other', async () => {
      const { campaignId } = await original();
      const both = await tools.as({ memberOf: ['acme', 'rival'] });
      const one = await tools.as({ memberOf: ['acme'] });
      const copy = await both.call<Copy>('svc_duplicate_campaign', {
        campaignId,
        title: 'For the rival',
        targetWorkspaceId: 'rival',
      });
      expect(await read(copy.campaignId, rival)).to.include({ workspaceId: 'rival', title: 'For the rival' });
      expect(await acme.refusal('svc_get_campaign', { campaignId: copy.campaignId })).to.contain('was not found');
      expect(await one.refusal('svc_duplicate_campaign', { campaignId, targetWorkspaceId: 'rival' })).to.equal(
        'You are not a member of workspace "rival". Pass a workspaceId from svc_whoami.',
      );
      expect(await acme.refusal('svc_duplicate_campaign', { campaignId, targetWorkspaceId: 'rival' })).to.equal(
        'This key is bound to another workspace. Omit targetWorkspaceId.',
      );
    });

    it('sends nothing unseen in a workspace that reviews by default, and keeps a mode that somebody chose', async () => {
      const both = await tools.as({ memberOf: ['acme', 'rival'] });
      await rival.call('svc_update_workspace', { defaultReviewMode: 'first_touch' });
      const modeOf = async (campaignId: string, targetWorkspaceId: string): Promise<[unknown, string[]]> => {
        const copy = await both.call<Copy>('svc_duplicate_campaign', { campaignId, targetWorkspaceId });
        const { settings } = await read(copy.campaignId, targetWorkspaceId === 'rival' ? rival : acme);
        return [settings.reviewMode, copy.copied.warnings];
      };
      const off = await create('Unseen');
      expect(await modeOf(off, 'rival')).to.deep.equal([
        'first_touch',
        [
          'The original sends without review; the copy has the review mode of new campaigns of its workspace, first_touch.',
        ],
      ]);
      expect(await modeOf(off, 'acme'), 'a copy beside the original has its settings').to.deep.equal(['off', []]);
      const { campaignId } = await original();
      expect((await modeOf(campaignId, 'rival'))[0]).to.equal('all');
      await rival.call('svc_update_workspace', { defaultReviewMode: 'off' });
    });

    it('answers a missing and a foreign campaign alike', () => missing('svc_duplicate_campaign'));
  });
});
