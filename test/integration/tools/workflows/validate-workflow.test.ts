import { expect } from 'chai';
import { BAD } from '../../../fixtures/tools/bad-graphs.ts';
import { type McpFixture, missing, NOBODY, startMcpFixture } from '../../../fixtures/tools/mcp-fixture.ts';
import { SPEC_GRAPH } from '../../../fixtures/tools/workflow-fixture.ts';

const HOUR = { waitType: 'duration', durationMs: 3_600_000 };
const NO_CAMPAIGN = missing('Campaign', NOBODY, 'svc_list_campaigns');

describe('tools: validating workflows, by an MCP client', () => {
  let fixture: McpFixture;

  before(async function () {
    this.timeout(60_000);
    fixture = await startMcpFixture(6);
    await fixture.tools.rows(
      `with a as (insert into network_account (id, kind, provider, external_id, status_since, created_at)
         values ('box-1', 'mail', 'sandbox', 'box-1@acme.example', 1, 1) returning id)
       insert into account_link (account_id, workspace_id, linked_at) select 'box-1', 'acme', 1`,
    );
  });
  after(() => fixture.tools.stop());

  describe('svc_validate_workflow', () => {
    it('names lists and members that are not there', async () => {
      const nobody = '018f0000-0000-7000-8000-0000000000ff';
      const { leadListId } = await fixture.acme.call<{ leadListId: string }>('svc_create_lead_list', { name: 'There' });
      const nodes = [
        { nodeType: 'lead:add_to_list', config: { leadListId: nobody } },
        { nodeType: 'lead:add_to_list', config: { leadListId } },
        { nodeType: 'notify:member', config: { memberIds: [nobody], text: 'Look' } },
      ];
      const edges = [
        { sourceIndex: 0, targetIndex: 1 },
        { sourceIndex: 1, targetIndex: 2 },
      ];
      const { warnings } = await fixture.acme.call<{ warnings: { code: string; nodeIndex: number }[] }>(
        'svc_validate_workflow',
        { campaignId: fixture.campaignId, graph: { nodes, edges } },
      );
      const named = warnings.filter((one) => one.code.startsWith('unknown_'));
      expect(named.map((one) => [one.nodeIndex, one.code])).to.deep.equal([
        [0, 'unknown_lead_list'],
        [2, 'unknown_member'],
      ]);
    });

    const warnedOf = async (
      nodes: object[],
      edges: object[],
      more: object = {},
    ): Promise<{ nodeIndex: number | null; code: string; message: string }[]> =>
      (
        await fixture.acme.call<{ warnings: { nodeIndex: number | null; code: string; message: string }[] }>(
          'svc_validate_workflow',
          { campaignId: fixture.campaignId, graph: { nodes, edges }, ...more },
        )
      ).warnings;

    it('names tags, workflows and ICPs that are not there', async () => {
      const nobody = '018f0000-0000-7000-8000-0000000000ff';
      const asks = (value: string) => ({ rules: [{ field: 'lead.tags', op: 'contains', value }] });
      const nodes = [
        { nodeType: 'source:campaign_pool', config: { icpIds: [nobody] } },
        { nodeType: 'lead:tag', config: { add: ['warm'], remove: ['lost-tag'] } },
        { nodeType: 'flow:condition', config: asks('warm') },
        { nodeType: 'flow:condition', config: asks('vip') },
        { nodeType: 'flow:handoff', config: { workflowId: 'nowhere' } },
        { nodeType: 'flow:end' },
      ];
      const edges = [
        { sourceIndex: 0, targetIndex: 1 },
        { sourceIndex: 1, targetIndex: 2 },
        { sourceIndex: 2, targetIndex: 3 },
        { sourceIndex: 3, targetIndex: 4 },
        { sourceIndex: 2, targetIndex: 5, branch: 'false' },
        { sourceIndex: 3, targetIndex: 5, branch: 'false' },
        { sourceIndex: 4, targetIndex: 5, branch: 'refused' },
      ];
      const named = (await warnedOf(nodes, edges)).filter((one) => one.code.startsWith('unknown_'));
      expect(named.map((one) => [one.nodeIndex, one.code])).to.have.deep.members([
        [0, 'unknown_icp'],
        [1, 'unknown_tag'],
        [3, 'unknown_tag'],
        [4, 'unknown_workflow'],
      ]);
      for (const { message } of named) expect(message).to.match(/Call svc_[a-z_]+/);
    });

    it('counts whom outcomes without an edge lose, and names them once', async () => {
      const nodes = [
        { nodeType: 'network:connection_request' },
        { nodeType: 'network:wait_connection', config: { timeoutMs: 86_400_000 } },
        { nodeType: 'network:message', config: { textMode: 'static', text: 'Hello' } },
        { nodeType: 'flow:wait', config: HOUR },
      ];
      const edges = [0, 1, 2].map((sourceIndex) => ({
        sourceIndex,
        targetIndex: sourceIndex + 1,
        ...(sourceIndex === 1 ? { branch: 'accepted' } : {}),
      }));
      const lost = async (simulateLeads: number): Promise<string[]> =>
        (await warnedOf(nodes, edges, { simulateLeads, acceptanceRate: 0.25 }))
          .filter((one) => one.code === 'runs_end_here')
          .map((one) => `${one.nodeIndex} ${one.message}`);
      expect(await lost(1_000)).to.include(
        '1 branch "timed_out" of network:wait_connection has no edge: its runs end here as completed; of 1000 leads the forecast sees 750 there',
      );
      const told = await lost(0);
      expect(told.filter((one) => one.startsWith('1 '))).to.have.length(1);
      expect(told.find((one) => one.startsWith('1 '))).to.contain('of 100 leads the forecast sees 75 there');
      expect(told.find((one) => one.startsWith('2 '))).to.contain('"not_connected"');
    });

    it('says before anybody comes there what becomes of leads whose text has a gap', async () => {
      const { campaignId } = await fixture.acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Gaps' });
      const made = { name: 'Gaps', campaignId };
      const { leadListId } = await fixture.acme.call<{ leadListId: string }>('svc_create_lead_list', made);
      const rows = [
        'Gap,Less,CEO,https://www.linkedin.com/in/gap-less',
        'Gap,Full,,https://www.linkedin.com/in/gap-full',
      ];
      await fixture.acme.call('svc_import_leads_csv', {
        csv: `First name,Last name,Title,LinkedIn\n${rows.join('\n')}\n`,
        leadListId,
      });
      const text = {
        textMode: 'static',
        text: 'Hello {{lead:firstName}}, as {{lead:title}} in {{lead:industry|business}}',
      };
      const nodes = [{ nodeType: 'network:message', config: text }, { nodeType: 'flow:end' }];
      const next = { sourceIndex: 0, targetIndex: 1 };
      const gap = async (edges: object[]): Promise<string | undefined> =>
        (await warnedOf(nodes, edges, { campaignId })).find((one) => one.code === 'missing_data')?.message;
      expect(await gap([next])).to.match(
        /^network:message: 1 of 2 leads .* lack what the text says \(\{\{lead:title\}\} of 1\): nothing is sent to them, and their run stops there\./,
      );
      expect(await gap([next, { ...next, branch: 'missing_data' }])).to.contain('they take the branch "missing_data"');
    });

    it('says that nobody sends where all the accounts that the workflow names were unlinked', async () => {
      const workflowId = await fixture.workflow();
      const named = await fixture.tools.account('acme', 'rival');
      await fixture.acme.call('svc_update_workflow', { workflowId, networkAccountIds: [named] });
      const both = await fixture.tools.as({ memberOf: ['acme', 'rival'] });
      const forecast = async (user = fixture.acme): Promise<[string[], number]> => {
        const { warnings, forecast } = await user.call<{
          warnings: { code: string }[];
          forecast: { perDay: { actionsByKind: Record<string, number> }[] };
        }>('svc_validate_workflow', { workflowId, simulateLeads: 3 });
        const acted = forecast.perDay.flatMap((day) => Object.values(day.actionsByKind));
        return [warnings.map((one) => one.code), acted.reduce((sum, count) => sum + count, 0)];
      };
      const [sent, acts] = await forecast();
      expect(sent).to.not.include('no_sender');
      expect(acts).to.be.greaterThan(0);
      await fixture.tools.rows(`delete from account_link where account_id = $1 and workspace_id = 'acme'`, [named]);
      // The other account of the workspace is healthy, and is not one of the workflow's.
      for (const user of [fixture.acme, both]) {
        const [codes, count] = await forecast(user);
        expect(codes).to.include('no_sender');
        expect(count).to.equal(0);
      }
    });

    it('warns of steps that nobody sends, and of leads that a step can not find', async () => {
      const { campaignId } = await fixture.acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Reach' });
      const rows = ['Per,Profile,,https://www.linkedin.com/in/per-profile', 'Mia,Mail,mia@reach.example,'];
      const csv = `First name,Last name,Email,LinkedIn\n${rows.join('\n')}\n`;
      const made = { name: 'Reach', campaignId };
      const { leadListId } = await fixture.acme.call<{ leadListId: string }>('svc_create_lead_list', made);
      await fixture.acme.call('svc_import_leads_csv', { csv, leadListId });
      const look = { nodeType: 'network:profile_view', label: 'Look' };
      const mail = { nodeType: 'mail:send', label: 'Mail', config: { subject: 'Hello', text: 'Hi' } };
      const nodes = [{ nodeType: 'source:lead_list', config: { leadListId } }, look, mail];
      const edges = [
        { sourceIndex: 0, targetIndex: 1 },
        { sourceIndex: 1, targetIndex: 2 },
      ];
      const warned = async (): Promise<[number | null, string, string][]> => {
        const { warnings } = await fixture.acme.call<{
          warnings: { nodeIndex: number | null; code: string; message: string }[];
        }>('svc_validate_workflow', { campaignId, graph: { nodes, edges } });
        return warnings.map((one) => [one.nodeIndex, one.code, one.message]);
      };
      const leads = [
        [
          1,
          'no_profile',
          '1 of 2 leads of the campaign that were looked at have no profile address: steps at the network fail for them.',
        ],
        [
          2,
          'no_email',
          '1 of 2 leads of the campaign that were looked at have no mail address: mail steps take the outcome no_email for them.',
        ],
      ];
      expect(await warned()).to.deep.equal(leads);
      await fixture.tools.rows(`update network_account set paused = true where id = 'box-1'`);
      expect((await warned()).map(([index, code]) => [index, code])).to.deep.equal([
        [2, 'no_sender'],
        [1, 'no_profile'],
        [2, 'no_email'],
      ]);
      await fixture.tools.rows(`update network_account set paused = false where id = 'box-1'`);
    });

    it('forecasts within what the workspace may do a day (dailyActions)', async () => {
      const workflowId = await fixture.workflow();
      const forecast = async (): Promise<number[]> => {
        const answer = await fixture.acme.call<{
          forecast: { perDay: { actionsByKind: Record<string, number> }[] };
        }>('svc_validate_workflow', { workflowId, simulateLeads: 50, horizonDays: 10 });
        return answer.forecast.perDay.map((day) => day.actionsByKind['profile_view'] ?? 0);
      };
      const [linked] = await fixture.tools.force<{ accounts: number }>(
        `select count(*)::int as accounts from account_link l join network_account n on n.id = l.account_id
         where l.workspace_id = 'acme' and n.kind = 'network'`,
      );
      const most = linked?.accounts ?? 0;
      expect(Math.max(...(await forecast()))).to.be.greaterThan(most);
      await fixture.tools.force(
        `update outrider.workspace set limits = '{"dailyActions": {"profile_view": 1}}' where id = 'acme'`,
      );
      expect(Math.max(...(await forecast())), 'one a day of each account').to.equal(most);
      await fixture.tools.force(`update outrider.workspace set limits = '{}' where id = 'acme'`);
    });

    it('forecasts under the real budgets and renders for one lead; stores nothing', async () => {
      const workflowId = await fixture.workflow();
      const answer = await fixture.acme.call<{
        valid: boolean;
        forecast: { perDay: { actionsByKind: Record<string, number> }[] };
        renderedSamples: { text: string }[];
      }>('svc_validate_workflow', { workflowId, simulateLeads: 50, horizonDays: 20, sampleLeadId: fixture.leads[0] });
      expect(answer.valid).to.equal(true);
      const views = answer.forecast.perDay.reduce((sum, day) => sum + (day.actionsByKind['profile_view'] ?? 0), 0);
      expect(views).to.be.within(1, 50);
      expect(answer.renderedSamples.map((sample) => sample.text)).to.include('Hi Lead0000 of Firm 0000');
      const { workflow } = await fixture.acme.call<{ workflow: { graphVersion: number } }>('svc_get_workflow', {
        workflowId,
      });
      expect(workflow.graphVersion).to.equal(1);
    });

    it('signs a sample by who would send it, and refuses placeholders of other tools and blank texts, here and at save', async () => {
      const campaignId = await newCampaign('Signed');
      const graph = (text: string): object => ({
        nodes: [{ nodeType: 'source:manual' }, { nodeType: 'network:message', config: { text } }],
        edges: [{ sourceIndex: 0, targetIndex: 1 }],
      });
      const checked = (text: string) =>
        fixture.acme.call<{
          valid: boolean;
          errors: { code: string; message: string }[];
          renderedSamples: { text: string; missingFields: string[] }[];
        }>('svc_validate_workflow', { campaignId, graph: graph(text), sampleLeadId: fixture.leads[0] });
      await fixture.tools.force(
        `update outrider.network_account n set display_name = 'Sally Sender'
         where n.kind = 'network' and n.id in (select account_id from outrider.account_link where workspace_id = 'acme')`,
      );
      const signed = await checked('Hi {{lead:firstName}}, {{sender:fullName}}');
      expect(signed.renderedSamples).to.deep.equal([
        { nodeIndex: 1, leadId: fixture.leads[0], text: 'Hi Lead0000, Sally Sender', missingFields: [] },
      ]);
      for (const [text, code, own] of [
        ['Hi {first_name}', 'foreign_placeholder', '{{lead:firstName}}'],
        ['Hi {{lead:firstName | default: "there"}}', 'foreign_placeholder', '{{lead:firstName|there}}'],
        ['  \n', 'blank_text', 'says nothing'],
      ] as const) {
        const { valid, errors } = await checked(text);
        expect({ valid, code: errors[0]?.code }, text).to.deep.equal({ valid: false, code });
        expect(errors[0]?.message).to.contain(own);
        const refusal = await fixture.acme.refusal('svc_create_workflow', {
          campaignId,
          name: 'x',
          graph: graph(text),
        });
        expect(refusal, 'at save').to.contain(own);
      }
    });

    interface Judged {
      warnings: { code: string; message: string }[];
      forecast: { perDay: { date: string; actionsByKind: Record<string, number> }[]; finishesOn: string | null };
    }
    const MESSAGE = { nodeType: 'network:message', config: { textMode: 'static', text: 'Hello' } };
    const judged = (campaignId: string, nodes: object[], simulateLeads = 8): Promise<Judged> => {
      const all = [{ nodeType: 'source:manual' }, ...nodes];
      const graph = { nodes: all, edges: nodes.map((_, index) => ({ sourceIndex: index, targetIndex: index + 1 })) };
      return fixture.acme.call('svc_validate_workflow', { campaignId, graph, simulateLeads, horizonDays: 20 });
    };
    const newCampaign = async (title: string): Promise<string> =>
      (await fixture.acme.call<{ campaignId: string }>('svc_create_campaign', { title })).campaignId;
    const daysOf = ({ forecast }: Judged, kind: string): Record<string, number> =>
      Object.fromEntries(
        forecast.perDay.filter((day) => day.actionsByKind[kind]).map((day) => [day.date, day.actionsByKind[kind] ?? 0]),
      );

    it('forecasts by the hours in force and the days between two touches of the campaign', async () => {
      const campaignId = await newCampaign('Policy');
      const graph = [MESSAGE, { nodeType: 'flow:wait', config: HOUR }, MESSAGE];
      expect(daysOf(await judged(campaignId, graph, 4), 'message')).to.deep.equal({ '2026-03-02': 4, '2026-03-04': 4 });
      // The workspace's hours are those of a campaign without hours of its own.
      await fixture.acme.call('svc_update_workspace', { businessHours: { days: [4], timezoneMode: 'account' } });
      expect(Object.keys(daysOf(await judged(campaignId, [MESSAGE]), 'message'))).to.deep.equal(['2026-03-05']);
      await fixture.acme.call('svc_update_workspace', {
        businessHours: { days: [1, 2, 3, 4, 5], timezoneMode: 'lead' },
      });
    });

    it('leaves to other workspaces of an account their shares', async () => {
      const campaignId = await newCampaign('Shared');
      const onFirstDay = async (): Promise<number> =>
        Object.values(daysOf(await judged(campaignId, [{ nodeType: 'network:follow' }], 60), 'follow'))[0] ?? 0;
      // Others would take over.
      await fixture.tools.force('update network_account set paused = true where id <> $1', [fixture.accountId]);
      const before = await onFirstDay();
      await fixture.tools.force(
        `insert into account_link (account_id, workspace_id, linked_at, share) select account_id, 'rival', 1, 0.6 from account_link where workspace_id = 'acme'`,
      );
      expect(await onFirstDay()).to.equal(before - Math.floor(before * 0.6));
      await fixture.tools.force(`delete from account_link where workspace_id = 'rival' and share = 0.6`);
      await fixture.tools.force('update network_account set paused = false');
    });

    it('reckons with accounts of each kind, and says when more would send than it reckons with', async () => {
      const campaignId = await newCampaign('Crowd');
      const linked = `insert into account_link (account_id, workspace_id, linked_at) select id, 'acme', 1 from network_account where id like '%-crowd%'`;
      await fixture.tools.force(
        `insert into network_account (id, external_id, display_name, status_since, created_at) select 'a-crowd' || g, 'a-crowd' || g, 'A', 1, 1 from generate_series(1, 120) g`,
      );
      await fixture.tools.force(
        `insert into network_account (id, external_id, display_name, kind, status_since, created_at) values ('z-crowd', 'z-crowd', 'Z', 'mail', 1, 1)`,
      );
      await fixture.tools.force(
        `insert into mailbox (account_id, address, smtp_host, smtp_port, smtp_tls, imap_host, imap_port, imap_tls, username, sealed)
         values ('z-crowd', 'z@crowd.example', 'h', 1, 'none', 'h', 1, 'none', 'u', '')`,
      );
      await fixture.tools.force(linked);
      const mail = { nodeType: 'mail:send', config: { subject: 'S', text: 'T' } };
      const found = await judged(campaignId, [MESSAGE, mail]);
      expect(Object.keys(daysOf(found, 'mail')), 'days on which mails leave').to.not.have.length(0);
      // Who takes another outcome of the message ends there, which is told too.
      const warned = found.warnings.filter((one) => one.code !== 'runs_end_here');
      expect(warned.map((one) => one.code)).to.deep.equal(['accounts_left_out']);
      expect(warned[0]?.message).to.match(/ reckons with 10\d of the 12\d accounts /);
      await fixture.tools.force(`delete from account_link where account_id like '%-crowd%'`);
      expect((await judged(campaignId, [MESSAGE])).warnings).to.deep.equal([]);
    });

    it('warns of hours that never meet, also where leads of the campaign live', async () => {
      const campaignId = await newCampaign('Apart');
      const codes = async (): Promise<string[]> =>
        (await judged(campaignId, [MESSAGE])).warnings.map((one) => one.code);
      const hours = (businessHours: object): Promise<unknown> =>
        fixture.acme.call('svc_update_campaign', { campaignId, businessHours });
      await hours({ days: [1, 2, 3, 4, 5], startHour: 9, endHour: 18, timezoneMode: 'lead' });
      expect(await codes()).to.deep.equal([]);
      await hours({ days: [6, 7], startHour: 9, endHour: 18, timezoneMode: 'account' });
      expect(await codes()).to.deep.equal(['hours_never_meet']);
      await hours({ days: [1, 2, 3, 4, 5], startHour: 9, endHour: 18, timezoneMode: 'lead' });
      const csv = 'First name,Last name,Company,LinkedIn\nKiwi,Far,Far Ltd,https://www.linkedin.com/in/kiwi-far\n';
      const { leadListId } = await fixture.acme.call<{ leadListId: string }>('svc_create_lead_list', {
        name: 'Far',
        campaignId,
      });
      await fixture.acme.call('svc_import_leads_csv', { csv });
      const { leads } = await fixture.acme.call<{ leads: { leadId: string }[] }>('svc_search_leads', { query: 'Kiwi' });
      await fixture.acme.call('svc_add_leads_to_list', { leadListId, leadIds: leads.map((lead) => lead.leadId) });
      await fixture.tools.force(`update lead set timezone = 'Pacific/Auckland' where id = $1`, [leads[0]?.leadId]);
      const { warnings } = await judged(campaignId, [MESSAGE]);
      expect(warnings.map((one) => one.code)).to.deep.equal(['hours_never_meet']);
      expect(warnings[0]?.message).to.contain('Pacific/Auckland');
    });

    for (const [what, graph] of BAD) {
      it(`finds ${what}, without refusing`, async () => {
        const input = { campaignId: fixture.campaignId, graph, simulateLeads: 5 };
        const answer = await fixture.acme.call<{ valid: boolean; errors: object[]; forecast: null }>(
          'svc_validate_workflow',
          input,
        );
        expect(answer).to.deep.include({ valid: false, forecast: null });
        expect(answer.errors).to.not.have.length(0);
      });
    }

    it('wants a stored workflow, or a campaign with a graph, and records that are there', async () => {
      const workflowId = await fixture.workflow();
      for (const input of [{}, { workflowId, graph: SPEC_GRAPH }, { campaignId: fixture.campaignId }]) {
        expect(await fixture.acme.refusal('svc_validate_workflow', input)).to.equal(
          'Invalid input: workflowId: give either workflowId, or campaignId and graph. Call svc_list_workflows to find valid IDs.',
        );
      }
      expect(await fixture.acme.refusal('svc_validate_workflow', { campaignId: NOBODY, graph: SPEC_GRAPH })).to.equal(
        NO_CAMPAIGN,
      );
      expect(await fixture.acme.refusal('svc_validate_workflow', { workflowId, sampleLeadId: NOBODY })).to.equal(
        missing('Lead', NOBODY, 'svc_search_leads'),
      );
      for (const [user, id] of [
        [fixture.acme, NOBODY],
        [fixture.rival, workflowId],
      ] as const) {
        const text = missing('Workflow', id, 'svc_list_workflows');
        expect(await user.refusal('svc_validate_workflow', { workflowId: id })).to.equal(text);
      }
    });
  });
});
