import { expect } from 'chai';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

interface Conversation {
  conversationId: string;
  leadId: string | null;
  participant: { name: string; headline: string; profileUrl: string };
}

/** Conversations of an account, more than a search looks through before it asks the index. */
const MANY = 1_200;
const RARE = `insert into conversation (id, account_id, external_id, participant_name, preview, last_message_at, unread, reply_class)
  select gen_random_uuid(), $1, n::text, 'Person ' || n || case when n % $2 = 3 then ' Quetzal' else '' end,
    case when n % $2 = 7 then 'A quetzal sang' else 'Hello' end, n / 2, n % 2, case when n % 4 = 3 then 'positive' else 'unclassified' end
  from generate_series(1, ${MANY}) n`;

describe('tools: svc_list_conversations by a text, by an MCP client', function () {
  this.timeout(60_000);
  let tools: McpTools;
  let acme: ToolUser;
  let first = '';
  let second = '';

  before(async () => {
    tools = await startMcpTools();
    acme = await tools.as({ workspace: 'acme' });
    first = await tools.account('acme');
    second = await tools.account('acme', 'rival');
    for (const [account, every] of [
      [first, 80],
      [second, 100],
      [await tools.account('rival'), 60],
    ] as const)
      await tools.force(RARE, [account, every]);
    await tools.force('analyze conversation');
  });
  after(() => tools.stop());

  /** All pages; each newer than the next. */
  const all = async (input: object, limit = 7): Promise<string[]> => {
    const found: string[] = [];
    for (let cursor: string | null = null; ; ) {
      const page: { conversations: Conversation[]; nextCursor: string | null } = await acme.call(
        'svc_list_conversations',
        { ...input, limit, ...(cursor ? { cursor } : {}) },
      );
      found.push(...page.conversations.map((one) => one.conversationId));
      cursor = page.nextCursor;
      if (cursor === null) return found;
    }
  };
  /** What the pages should show, newest first. */
  const there = async (where: string): Promise<string[]> => {
    const rows = await tools.force<{ id: string }>(
      `select id from conversation where account_id = any ($1::text[]) and ${where} order by last_message_at desc, id desc`,
      [[first, second]],
    );
    return rows.map((row) => row.id);
  };

  const QUETZAL = `(participant_name ilike '%quetzal%' or preview ilike '%quetzal%')`;
  const cases: [string, object, string][] = [
    ['a rare word', { query: 'quetzal' }, QUETZAL],
    ['a rare word, unread', { query: 'Quetzal', unreadOnly: true }, `${QUETZAL} and unread > 0`],
    ['a rare word of a class', { query: 'QUETZAL', replyClass: 'positive' }, `${QUETZAL} and reply_class = 'positive'`],
    ['one name', { query: 'person 17 ' }, `participant_name ilike '%person 17 %'`],
    ['a text too short for the index', { query: '9 ' }, `(participant_name ilike '%9 %' or preview ilike '%9 %')`],
    ['nobody', { query: '100%' }, 'false'],
  ];
  for (const [name, input, where] of cases) {
    it(`shows everybody by ${name}, once and newest first`, async () => {
      expect(await all(input)).to.deep.equal(await there(where));
    });
  }

  it('shows those of one account', async () => {
    expect(await all({ query: 'quetzal', networkAccountId: first })).to.deep.equal(
      await there(`${QUETZAL} and account_id = '${first}'`),
    );
  });

  it('says who the person is, from the lead where the network does not say it', async () => {
    const profileUrl = 'https://www.linkedin.com/in/quinn-known';
    const fields = { firstName: 'Quinn', lastName: 'Known', title: 'Head of Sales', profileUrl };
    const { leadId } = await acme.call<{ leadId: string }>('svc_upsert_lead', fields);
    const values = [first, leadId];
    await tools.force(
      `insert into conversation (id, account_id, external_id, person_id, preview, last_message_at)
       select gen_random_uuid(), $1, 'of-a-lead', person_id, 'Written to a lead', 1 from lead where id = $2`,
      values,
    );
    const { conversations } = await acme.call<{ conversations: Conversation[] }>('svc_list_conversations', {
      query: 'written to a lead',
      detail: 'full',
    });
    expect(conversations.map(({ leadId: id, participant }) => ({ id, participant }))).to.deep.equal([
      { id: leadId, participant: { name: 'Quinn Known', headline: 'Head of Sales', profileUrl } },
    ]);
  });

  it('the one who works for two clients reads of the lead and the campaign of the one that wrote', async () => {
    const both = await tools.as({ memberOf: ['acme', 'rival'] });
    const profileUrl = 'https://www.linkedin.com/in/twice-known';
    const leads = new Map<string, string>();
    for (const workspaceId of ['acme', 'rival']) {
      const fields = { workspaceId, firstName: 'Twice', lastName: 'Known', profileUrl };
      leads.set(workspaceId, (await both.call<{ leadId: string }>('svc_upsert_lead', fields)).leadId);
    }
    const [row] = await tools.force<{ id: string }>(
      `insert into conversation (id, account_id, external_id, provider_id, person_id, preview, last_message_at)
       select gen_random_uuid(), $1, 'of-two', 'ACoTwice', person_id, 'Written for one of two', 1 from lead where id = $2 returning id`,
      [second, leads.get('acme')],
    );
    // To the account the persons of both workspaces are one human.
    await tools.force(
      `insert into relation (account_id, person_id, provider_id, state)
       select $1, person_id, 'ACoTwice', 'none' from lead where id = any ($2::uuid[])`,
      [second, [...leads.values()]],
    );
    for (const workspaceId of ['rival', 'acme']) {
      const made = { workspaceId, title: `Of ${workspaceId}` };
      const { campaignId } = await both.call<{ campaignId: string }>('svc_create_campaign', made);
      await tools.force(
        `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, person_id, graph_version, node_id, state, entered_at, started_at)
         select gen_random_uuid(), $1, 'w', $2, id, person_id, 1, 'n', 'waiting', 1, case $1 when 'acme' then 2 else 1 end from lead where id = $3`,
        [workspaceId, campaignId, leads.get(workspaceId)],
      );
      const { conversation } = await both.call<{
        conversation: { leadId: string; handledBy: { kind: string; id: string } };
      }>('svc_list_messages', { conversationId: row?.id });
      expect([conversation.leadId, conversation.handledBy.id]).to.deep.equal([leads.get(workspaceId), campaignId]);
    }
  });

  it('messages of a shared account tell no run of a workspace that the caller may not read', async () => {
    const [row] = await tools.force<{ id: string }>(
      `insert into conversation (id, account_id, external_id, preview, last_message_at)
       values (gen_random_uuid(), $1, 'of-runs', 'Two wrote', 1) returning id`,
      [second],
    );
    const runs = new Map<string, string>();
    for (const workspaceId of ['acme', 'rival']) {
      const [run] = await tools.force<{ id: string }>(
        `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, entered_at, started_at)
         values (gen_random_uuid(), $1, 'w', 'c', gen_random_uuid(), 1, 'n', 'waiting', 1, 1) returning id`,
        [workspaceId],
      );
      runs.set(workspaceId, run?.id ?? '');
      await tools.force(
        `insert into message (id, conversation_id, account_id, external_id, direction, body, sent_at, via, run_id)
         values (gen_random_uuid(), $1, $2, $3, 'out', $3, 1, 'workflow', $4)`,
        [row?.id, second, workspaceId, run?.id],
      );
    }
    const { messages } = await acme.call<{ messages: { body: string; runId: string | null }[] }>('svc_list_messages', {
      conversationId: row?.id,
    });
    expect(new Map(messages.map(({ body, runId }) => [body, runId]))).to.deep.equal(
      new Map([
        ['acme', runs.get('acme')],
        ['rival', null],
      ]),
    );
  });
});
