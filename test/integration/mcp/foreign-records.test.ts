import { expect } from 'chai';
import { ALL_TOOLS } from '../../../pkg/tools/registry.ts';
import type { AnyTool } from '../../../pkg/tools/tool.ts';
import { insertPost } from '../../fixtures/content/insert-post.ts';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';
import { sample, schemaOf } from '../../fixtures/mcp/sample-input.ts';
import { pastRules } from '../../fixtures/store/plant-words.ts';
import { startToolCalls, type ToolCalls, workspaceKey } from '../../tools/tool-calls.ts';
import { WatchedDatabase, withoutFilter } from '../../tools/watched-database.ts';

const NOWHERE = '018f0000-0000-7000-8000-0000000000ff';
/** Signal agents and webhook templates are not built yet: every id is one of none. */
const NOBODYS_AGENT = '018f0000-0000-7000-8000-0000000000fe';
/** What svc_diagnose looks into, with the name of its id. */
const DIAGNOSED = { workflow: 'workflowId', lead: 'leadId', network_account: 'networkAccountId' };

/** Ids of no record of a workspace, and of accounts that are not built yet. */
const OTHER_IDS = ['workspaceId', 'targetWorkspaceId', 'nodeId', 'afterNodeId', 'providerAccountIds'];

interface Answer {
  text: string;
  statements: string[];
}

// Source: catalog, conventions: a foreign record is answered as not found, so that ids cannot be probed.
describe('a record of another workspace', () => {
  let tools: ToolCalls;
  let mcp: Harness;
  let db: WatchedDatabase;
  let key: string;
  let session: string;
  let foreign: Record<string, string>;

  before(async function () {
    this.timeout(60_000);
    tools = await startToolCalls();
    db = new WatchedDatabase({ url: tools.cluster.databaseUrl, max: 4, applicationName: 'test' });
    mcp = await startMcp({ db, resources: tools.cluster.resources() });
    key = (await mcp.key({ workspaceId: 'acme' })).plaintext;
    session = await mcp.initialize(key);
    foreign = await rivalRecords(tools, (await mcp.key({ workspaceId: 'rival' })).apiKeyId);
  });
  after(async () => {
    await mcp.stop();
    await db.close();
    await tools.stop();
  });

  /** The answer with the id taken out, so that two answers can be compared. */
  const answer = async (tool: AnyTool, field: string, list: boolean, id: string, more = {}): Promise<Answer> => {
    const input = { ...plausibleInput(tool, 'acme'), ...more, [field]: list ? [id] : id };
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool.name, arguments: input } };
    db.statements = [];
    const { text } = await mcp.post(key, call, { 'mcp-session-id': session });
    expect(text).to.not.contain('failed on our side');
    return { text: text.replaceAll(id, '<id>'), statements: db.statements };
  };

  for (const tool of ALL_TOOLS.filter((one) => one.workspace !== 'platform')) {
    const fields = idFields(tool);
    if (fields.length === 0) continue;
    it(`is for ${tool.name} what a record is that does not exist`, async () => {
      for (const [field, name, list] of fields) {
        const theirs = foreign[isOfCalendars(tool, name) ? 'calendarAccountId' : name];
        if (theirs === undefined) throw new Error(`The test has no foreign ${name}.`);
        const missing = missingLike(theirs);
        const [their, none] = [await answer(tool, field, list, theirs), await answer(tool, field, list, missing)];
        expect(their.text, field).to.equal(none.text);
        expect(their.statements, `${field}: as many queries`).to.deep.equal(none.statements);
        // A query that forgot its workspace meets row-level security, and answers the same.
        db.unfiltered = true;
        try {
          expect((await answer(tool, field, list, theirs)).text, `${field}, no filter`).to.equal(none.text);
        } finally {
          db.unfiltered = false;
        }
      }
    });
  }

  it('filters are really taken out', () => {
    expect(withoutFilter('select 1 from a where a.workspace_id = $1 and b = $2')).to.equal(
      'select 1 from a where ($1::text is not null or true) and b = $2',
    );
    expect(withoutFilter('delete from a where workspace_id = any ($3)')).to.equal(
      'delete from a where ($3::text[] is not null or true)',
    );
  });

  for (const [target, name] of Object.entries(DIAGNOSED)) {
    it(`is for svc_diagnose of a ${target} what a record is that does not exist`, async () => {
      const diagnose = ALL_TOOLS.find((tool) => tool.name === 'svc_diagnose');
      if (!diagnose) throw new Error('no svc_diagnose');
      const theirs = foreign[name] ?? '';
      const missing = missingLike(theirs);
      const their = await answer(diagnose, 'targetId', false, theirs, { target });
      expect(their).to.deep.equal(await answer(diagnose, 'targetId', false, missing, { target }));
    });
  }
});

/** An id of the same form that no record has. */
function missingLike(id: string): string {
  return id.length === NOWHERE.length ? NOWHERE : `${id.slice(0, -1)}0`;
}

/** Fields that carry ids of records, with the record's name and whether they are lists. */
function idFields(tool: AnyTool): [field: string, name: string, list: boolean][] {
  return Object.keys(tool.input.shape).flatMap((field): [string, string, boolean][] => {
    if (OTHER_IDS.includes(field)) return [];
    if (field.endsWith('Ids')) return [[field, field.slice(0, -1), true]];
    return field.endsWith('Id') ? [[field, field, false]] : [];
  });
}

/** One record of each kind in the workspace `rival`, by the name of the field that carries its id. */
async function rivalRecords(tools: ToolCalls, apiKeyId: string): Promise<Record<string, string>> {
  const rival = workspaceKey('rival');
  const make = async (name: string, input: object): Promise<Record<string, string>> => tools.call(name, input, rival);
  const { campaignId = '' } = await make('svc_create_campaign', { title: 'Theirs' });
  const graph = { nodes: [{ nodeType: 'network:profile_view', label: 'View', config: {} }], edges: [] };
  const { workflowId = '' } = await make('svc_create_workflow', { campaignId, name: 'Theirs', graph });
  const { icpId = '' } = await make('svc_create_icp', { campaignId, titles: ['CEO'] });
  const { personaId = '' } = await make('svc_create_persona', { campaignId, name: 'Theirs' });
  const { automationId = '' } = await make('svc_upsert_automation', {
    campaignId,
    name: 'Theirs',
    kind: 'rescore_leads',
    schedule: '30 2 * * *',
  });
  const { signalAgentId = '' } = await make('svc_create_signal_agent', { name: 'Theirs', signalTypes: ['new_post'] });
  const { competitorWatchId = '' } = await make('svc_create_competitor_watch', { name: 'Theirs', domain: 'foe.com' });
  const { searchWatchId = '' } = await make('svc_create_search_watch', { kind: 'topic', name: 'Theirs', query: 'x' });
  const { phaseId = '' } = await make('svc_create_phase', { campaignId, name: 'Theirs', phaseType: 'outreach' });
  const { leadListId = '' } = await make('svc_create_lead_list', { name: 'Theirs' });
  const csv =
    'first name,last name,profile url,company\nAda,Lovelace,https://www.linkedin.com/in/ada-of-rival,Rival Firm\n';
  const { importId = '' } = await make('svc_import_leads_csv', { csv, campaignId });
  const [lead] = await tools.rows<{ id: string }>(`select id from lead where workspace_id = 'rival'`);
  const [company] = await tools.rows<{ id: string }>(`select id from company where workspace_id = 'rival'`);
  const enrichmentJobId = '018f0000-0000-7000-8000-0000000000b0';
  await tools.rows(
    `insert into background_job (id, workspace_id, kind, status, created_at) values ($1, 'rival', 'lead_enrich', 'completed', 1)`,
    [enrichmentJobId],
  );
  const [runId, conversationId, reviewItemId] = ['01', '02', '03'].map(
    (end) => `018f0000-0000-7000-8000-0000000000${end}`,
  ) as [string, string, string];
  const leadId = lead?.id ?? '';
  await tools.rows(
    `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, entered_at, started_at)
     values ($1, 'rival', $2, $3, $4, 1, 'n1', 'in_review', 1, 1)`,
    [runId, workflowId, campaignId, leadId],
  );
  await tools.rows(
    `insert into review_item (id, workspace_id, workflow_id, campaign_id, run_id, lead_id, node_id, send_node_id, channel, body, original_body, created_at, expires_at)
     values ($1, 'rival', $2, $3, $4, $5, 'n1', 'n1', 'network', 'Hello', 'Hello', 1, 4102444800000)`,
    [reviewItemId, workflowId, campaignId, runId, leadId],
  );
  await tools.rows(
    `insert into network_account (id, external_id, status_since, created_at) values ('rival-account', 'rival-external', 1, 1)`,
  );
  await tools.rows(
    `insert into account_link (account_id, workspace_id, linked_at) values ('rival-account', 'rival', 1)`,
  );
  await tools.rows(
    `insert into conversation (id, account_id, external_id) values ($1, 'rival-account', 'rival-conversation')`,
    [conversationId],
  );
  const messageId = '018f0000-0000-7000-8b0b-0000000000ff';
  await tools.rows(
    `insert into message (id, conversation_id, account_id, external_id, direction, body, sent_at)
     select $1, id, account_id, 'foreign', 'in', 'Hello', 1 from conversation where id = $2`,
    [messageId, conversationId],
  );
  await tools.rows(
    `insert into network_account (id, kind, provider, external_id, status_since, created_at)
     values ('rival-mailbox', 'mail', 'smtp', 'box@rival.example', 1, 1)`,
  );
  await tools.rows(
    `insert into mailbox (account_id, address, smtp_host, smtp_port, smtp_tls, imap_host, imap_port, imap_tls, username)
     values ('rival-mailbox', 'box@rival.example', 'h', 1, 'none', 'h', 1, 'none', 'box')`,
  );
  await tools.rows(
    `insert into account_link (account_id, workspace_id, linked_at) values ('rival-mailbox', 'rival', 1)`,
  );
  const signalId = '018f0000-0000-7000-8000-000000000004';
  await tools.rows(
    `insert into signal (id, workspace_id, type, lead_id, occurred_at, detected_at, expires_at) values ($1, 'rival', 'new_post', $2, 1, 1, 1)`,
    [signalId, leadId],
  );
  await tools.rows(
    `insert into integration (id, workspace_id, provider, kind, created_at) values ('int-of-rival', 'rival', 'webhook', 'webhook', 1)`,
  );
  await tools.rows(
    `insert into calendar_account (id, workspace_id, url, created_at) values ('cal-of-rival', 'rival', 'https://cal.example', 1)`,
  );
  const notificationId = '018f0000-0000-7000-8000-000000000005';
  await tools.rows(
    `insert into notification (id, workspace_id, user_id, kind, title, text, origin, created_at) values ($1, 'rival', $1, 'run.step_done', 'Theirs', 'text', 'test', 1)`,
    [notificationId],
  );
  const [actionId, deliveryId] = ['018f0000-0000-7000-8000-000000000006', '018f0000-0000-7000-8000-000000000007'];
  await pastRules(tools.cluster.superuserUrl, (force) =>
    force(
      `insert into action (id, workspace_id, lead_id, person_id, account_id, action, budgets, once_key, due_at, made_by, created_at)
       select $1, 'rival', id, person_id, 'rival-account', 'message', '{message}', 'theirs', 1, 'test', 1 from lead where id = $2`,
      [actionId, leadId],
    ),
  );
  await tools.rows(
    `insert into delivery (id, workspace_id, integration_id, number, seq, at, kind, due_at, created_at) values ($1, 'rival', 'int-of-rival', 1, 1, 1, 'reply.received', 1, 1)`,
    [deliveryId],
  );
  const contentPostId = await insertPost(tools.rows, {
    workspaceId: 'rival',
    accountId: 'rival-account',
    state: 'draft',
    text: 'Theirs',
  });
  const [member] = await tools.rows<{ id: string }>(`select id from member where workspace_id = 'rival'`);
  const { invitationId = '' } = await make('svc_create_invitation', { email: 'guest@rival.example' });
  const { signalExclusionId = '' } = await make('svc_add_signal_exclusion', {
    kind: 'domain',
    value: 'of-rival.example',
  });
  return {
    signalExclusionId,
    competitorWatchId,
    searchWatchId,
    actionId,
    contentPostId,
    deliveryId,
    // Of a system outside, which is asked by its integration alone.
    providerListId: '424242',
    // Of a calendar's server, which is asked by its account alone.
    eventId: 'ab12cd34ef56ab12',
    campaignId,
    automationId,
    workflowId,
    memberId: member?.id ?? '',
    reviewerId: member?.id ?? '',
    invitationId,
    signalId,
    signalAgentId,
    integrationId: 'int-of-rival',
    calendarAccountId: 'cal-of-rival',
    notificationId,
    webhookTemplateId: NOBODYS_AGENT,
    icpId,
    personaId,
    phaseId,
    leadListId,
    companyId: company?.id ?? '',
    leadId,
    importId,
    enrichmentJobId,
    apiKeyId,
    runId,
    reviewItemId,
    conversationId,
    expectedLastMessageId: messageId,
    inReplyToMessageId: messageId,
    providerAccountId: 'rival-mailbox',
    networkAccountId: 'rival-account',
    sampleLeadId: leadId,
    targetId: workflowId,
  };
}

/** A provider account is a mailbox or a calendar. */
function isOfCalendars({ name }: AnyTool, record: string): boolean {
  return record === 'providerAccountId' && /calendar|free_slots/.test(name);
}

/** Inputs of the shape a tool asks for, whose records do not exist. */
function plausibleInput(tool: AnyTool, workspaceId: string): Record<string, unknown> {
  const schema = schemaOf(tool);
  const input: Record<string, unknown> = {};
  for (const name of schema.required ?? []) input[name] = sample(schema.properties?.[name] ?? {});
  // Dates and times in one have no format that a schema could name.
  for (const name of Object.keys(input)) if (/(Date|Time)$/.test(name)) input[name] = '2030-01-01T00:00:00Z';
  if (schema.properties && 'workspaceId' in schema.properties) input['workspaceId'] = workspaceId;
  return input;
}
