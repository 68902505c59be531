import { expect } from 'chai';
import { type McpFixture, MONDAY, startMcpFixture } from '../../fixtures/tools/mcp-fixture.ts';

// Source: catalog, idempotentHint, and conventions: what neither charges nor sends by itself needs no key to be called again.
describe('what starts, feeds or releases outreach, called again because the answer was lost', function () {
  this.timeout(60_000);
  let fixture: McpFixture;
  let workflowId: string;
  let runIds: string[];
  let next = 0;

  before(async () => {
    fixture = await startMcpFixture(12);
    workflowId = await fixture.workflow();
    runIds = await fixture.started(workflowId, fixture.leads);
  });
  after(() => fixture.tools.stop());

  /** What outreach depends on, without the stamps of who wrote last. */
  const TABLES: readonly [table: string, order: string, without: readonly string[]][] = [
    ['run', 'id', ['version']],
    ['review_item', 'id', ['version']],
    ['lead', 'id', ['updated_at']],
    ['lead_list_member', 'lead_list_id, lead_id', []],
    ['campaign_lead', 'campaign_id, lead_id', []],
    ['lead_overlay', 'lead_id', []],
    ['workflow', 'id', []],
    ['campaign', 'id', []],
    ['credit_entry', 'id', []],
    ['send', 'id', []],
  ];
  const state = async (): Promise<Record<string, unknown>> => {
    const tables: [string, unknown][] = [];
    for (const [table, order, without] of TABLES) {
      const rows = await fixture.tools.force(
        `select to_jsonb(x) - $1::text[] as row from ${table} x order by ${order}`,
        [[...without, 'updated_at', 'observed_generation', 'generation', 'resource_version']],
      );
      tables.push([table, rows]);
    }
    return Object.fromEntries(tables);
  };
  const runId = (): string => {
    next++;
    return runIds[next - 1] ?? '';
  };
  const draft = async (): Promise<string> => {
    const of = runId();
    const [row] = await fixture.tools.rows<{ id: string }>(
      `insert into review_item (id, workspace_id, workflow_id, campaign_id, run_id, lead_id, account_id, node_id, send_node_id, channel, body, original_body, created_at, expires_at)
       select gen_random_uuid(), r.workspace_id, r.workflow_id, r.campaign_id, r.id, r.lead_id, $2, 'connect', 'connect', 'note', 'Hello', 'Hello', $3, $4
       from run r where r.id = $1 returning id`,
      [of, fixture.accountId, MONDAY, MONDAY + 86_400_000],
    );
    await fixture.tools.rows(`update run set state = 'in_review', wait_reason = 'review' where id = $1`, [of]);
    return row?.id ?? '';
  };
  const listId = async (): Promise<string> =>
    (await fixture.acme.call<{ leadListId: string }>('svc_create_lead_list', { name: 'L' })).leadListId;

  /** Each call (and its action), and what a client reads when it makes it once more: an answer, or why there is nothing to do. */
  const CALLS: readonly [tool: string, input: () => Promise<object>, again?: RegExp][] = [
    ['svc_update_workflow_status', async () => ({ workflowId, enabled: true })],
    ['svc_update_campaign', async () => ({ campaignId: fixture.campaignId, status: 'paused' })],
    ['svc_add_leads_to_list', async () => ({ leadListId: await listId(), leadIds: fixture.leads.slice(0, 3) })],
    [
      'svc_import_leads_csv',
      async () => ({
        csv: 'Name,Email\nNew One,new@one.example\n',
        leadListId: await listId(),
        campaignId: fixture.campaignId,
        tags: ['fair'],
      }),
    ],
    [
      'svc_upsert_lead',
      async () => ({ firstName: 'Ida', lastName: 'Once', email: 'ida@once.example', addTags: ['x'] }),
    ],
    ['svc_approve_review_item', async () => ({ reviewItemId: await draft() }), /is approved already/],
    ['svc_edit_review_item', async () => ({ reviewItemId: await draft(), body: 'Hi' }), /is approved already/],
    ['svc_reject_review_item', async () => ({ reviewItemId: await draft(), reason: 'no' }), /is rejected already/],
    ['svc_bulk_decide_review_items', async () => ({ reviewItemIds: [await draft()], decision: 'approve' })],
    ['svc_control_workflow_runs pause', async () => ({ runIds: [runId()], action: 'pause' })],
    ['svc_control_workflow_runs stop', async () => ({ runIds: [runId()], action: 'stop' })],
    ['svc_control_workflow_runs move', async () => ({ runIds: [runId()], action: 'move', nodeId: 'wait' })],
  ];

  for (const [call, input, again] of CALLS) {
    it(`${call}: ${again ? `says that it ${again.source.replace(' already', '')}` : 'answers'}, and nothing more comes of it`, async () => {
      const [tool = ''] = call.split(' ');
      const given = await input();
      const before = await state();
      await fixture.acme.call(tool, given);
      const once = await state();
      if (again) expect(await fixture.acme.refusal(tool, given)).to.match(again);
      else await fixture.acme.call(tool, given);
      expect(await state()).to.deep.equal(once);
      if (tool !== 'svc_update_workflow_status') expect(once, 'the first one did something').to.not.deep.equal(before);
    });
  }
});
