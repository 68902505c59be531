import { expect } from 'chai';
import { isRecorded } from '../../../pkg/tools/idempotency/recorded-call.ts';
import { ALL_TOOLS } from '../../../pkg/tools/registry.ts';
import { callerOf, ExampleRun, startWebhookTarget, type WebhookTarget } from '../../fixtures/example-run.ts';
import { type Bench, startBench } from '../../fixtures/sandbox/harness.ts';
import { TOOL_EXAMPLES, type ToolExample } from '../../fixtures/tool-examples.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../tools/mcp-tools.ts';

/** A tool that creates, the one that takes its record away again, and the field that names the record. */
interface Pair {
  create: ToolExample;
  remove: string;
  field: string;
}

/** What an executor makes; calendar-events.test.ts makes it anew. */
const BY_EXECUTOR: ReadonlySet<string> = new Set(['svc_create_calendar_event']);

/** By their names: `svc_create_campaign` makes the `campaignId` that `svc_delete_campaign` takes. */
function pairs(): Pair[] {
  return TOOL_EXAMPLES.flatMap((create): Pair[] => {
    const tool = ALL_TOOLS.find((one) => one.name === create.tool);
    if (!tool || !isRecorded(tool) || BY_EXECUTOR.has(tool.name)) return [];
    return Object.keys(tool.output.shape).flatMap((field): Pair[] => {
      if (!field.endsWith('Id') || field in create.input) return [];
      const noun = field.slice(0, -2).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      const ends = new RegExp(`^svc_(delete|revoke|disconnect|remove)_(.*_)?${noun}$`);
      const remover = ALL_TOOLS.find(({ name, input }) => ends.test(name) && field in input.shape);
      return remover ? [{ create, remove: remover.name, field }] : [];
    });
  });
}

const TITLE = 'Made and taken away';

/** The input of an example about something else than the example's own. */
function renamed(input: Record<string, unknown>): Record<string, unknown> {
  const names = ['name', 'title', 'label'].filter((name) => name in input);
  const titles = 'titles' in input ? { titles: [TITLE] } : {};
  return { ...input, ...titles, ...Object.fromEntries(names.map((name) => [name, TITLE])) };
}

/** What a tool that takes a record away wants to be told. */
function removal({ remove, field }: Pair, id: unknown, workflowId: unknown): object {
  const shape = ALL_TOOLS.find((tool) => tool.name === remove)?.input.shape ?? {};
  return {
    ...('workflowId' in shape ? { workflowId } : {}),
    ...('confirmTitle' in shape ? { confirmTitle: TITLE } : {}),
    [field]: id,
  };
}

// Source: catalog conventions (natural key); design, section 6.
describe('a call that is made again within a minute', function () {
  this.timeout(120_000);
  let sandbox: Bench;
  let webhook: WebhookTarget;
  let tools: McpTools;
  let run: ExampleRun;
  let acme: ToolUser;
  let callers: Record<'key' | 'owner' | 'admin', ToolUser>;
  let crash: ((gap: string) => void) | undefined;

  before(async () => {
    sandbox = await startBench();
    webhook = await startWebhookTarget();
    tools = await startMcpTools(() => sandbox.adapter, webhook.connections, { onGap: (gap) => crash?.(gap) });
    run = await ExampleRun.in(tools, 'acme', webhook.url);
    const keys = await run.keys();
    const user = async (key: string): Promise<ToolUser> => tools.user(await tools.mcp.client(key));
    callers = { key: await user(keys.key), owner: await user(keys.owner), admin: await user(keys.admin) };
    acme = callers.key;
  });
  after(async () => {
    await tools.stop();
    await webhook.close();
    await sandbox.stop();
  });

  const campaign = async (title: string): Promise<string> =>
    (await acme.call<{ campaignId: string }>('svc_create_campaign', { title })).campaignId;
  const lost = async (call: Promise<unknown>): Promise<void> => {
    const text = await call.then(
      () => 'answered',
      (error: Error) => error.message,
    );
    expect(text).to.contain('failed on our side');
  };

  describe('what was taken away is made anew', () => {
    before(async () => {
      // The examples' own records: those of the first domains are enough for each pair.
      for (const example of TOOL_EXAMPLES) {
        await run.give(example);
        run.keep(example, await callers[callerOf(example)].call(example.tool, run.filled(example.input)));
        if (example.tool === 'svc_create_workflow') break;
      }
    });

    it('each record that tools make and take away is among them', () => {
      expect(pairs().map(({ create }) => create.tool)).to.include.members([
        'svc_create_campaign',
        'svc_create_icp',
        'svc_create_persona',
        'svc_create_phase',
        'svc_create_lead_list',
        'svc_create_query_lead_list',
        'svc_create_workflow',
        'svc_add_workflow_node',
        'svc_create_api_key',
        'svc_connect_integration',
      ]);
    });

    for (const pair of pairs()) {
      const { create, remove, field } = pair;
      it(`${create.tool}, ${remove}, ${create.tool}`, async () => {
        const user = callers[callerOf(create)];
        const input = renamed(run.filled(create.input));
        const first = await user.again(create.tool, input);
        expect(known(await user.again(create.tool, input)), 'before it goes').to.deep.equal(known(first));
        await user.call(remove, removal(pair, first[field], input['workflowId']));
        const second = await user.again(create.tool, input);
        expect(second[field]).to.be.a('string').and.not.equal(first[field]);
        expect(known(await user.again(create.tool, input)), 'and is one again').to.deep.equal(known(second));
      });
    }

    it('with all that it makes: a copied campaign has workflows of its own', async () => {
      const campaignId = await campaign('To be copied');
      const graph = { nodes: [{ nodeType: 'flow:end' }], edges: [] };
      await acme.call('svc_create_workflow', { campaignId, name: 'Flow', graph });
      const copy = { campaignId, title: 'The copy' };
      const first = await acme.again<{ campaignId: string }>('svc_duplicate_campaign', copy);
      await acme.call('svc_delete_campaign', { campaignId: first.campaignId, confirmTitle: 'The copy' });
      const second = await acme.again<{ campaignId: string }>('svc_duplicate_campaign', copy);
      expect(second.campaignId).to.not.equal(first.campaignId);
      const { workflows } = await acme.call<{ workflows: unknown[] }>('svc_list_workflows', {
        campaignId: second.campaignId,
      });
      expect(workflows).to.have.length(1);
    });

    it('under a key of the caller the first answer is given for seven days, whatever became of it', async () => {
      const call = { name: 'Kept', ownerEmail: 'o@kept.example', idempotencyKey: 'kept' };
      const first = await callers.admin.call<{ workspaceId: string }>('svc_admin_create_workspace', call);
      const ref = { namespace: 'outrider', name: first.workspaceId };
      const kind = {
        group: 'outrider.dev',
        version: 'v1alpha1',
        plural: 'workspaces',
        kind: 'Workspace',
        namespaced: true,
      };
      await tools.cluster.client.delete(kind, ref);
      expect(await callers.admin.call('svc_admin_create_workspace', call)).to.deep.equal(first);
    });
  });

  describe('is the same one', () => {
    it('of the same caller only: what two colleagues create is two, what one does by two keys is one', async () => {
      const title = 'Of colleagues';
      const made = async (user: ToolUser): Promise<unknown> =>
        (await user.again('svc_create_campaign', { workspaceId: 'acme', title }))['campaignId'];
      const other = await tools.as({ workspace: 'acme' });
      expect(await made(other), 'another key').to.not.equal(await made(acme));
      const userId = await tools.mcp.user({ member: 'acme' });
      const key = async (): Promise<ToolUser> =>
        tools.user(await tools.mcp.client((await tools.mcp.key({ userId })).plaintext));
      expect(await made(await key()), 'another key of the same user').to.equal(await made(await key()));
    });

    it('in the same workspace only', async () => {
      const both = await tools.as({ memberOf: ['acme', 'rival'] });
      const list = { name: 'In each' };
      const first = await both.again('svc_create_lead_list', { ...list, workspaceId: 'acme' });
      const second = await both.again('svc_create_lead_list', { ...list, workspaceId: 'rival' });
      expect(second['leadListId']).to.not.equal(first['leadListId']);
    });

    it('by what was asked: what is absent and its default are the same, and a default that changes meanwhile changes nothing', async () => {
      const key = { workspaceId: 'acme', name: 'Defaults', scopes: ['leads:read'] };
      const first = await callers.owner.again('svc_create_api_key', key);
      const second = await callers.owner.again('svc_create_api_key', { ...key, keyType: 'workspace' });
      expect(second['apiKeyId']).to.equal(first['apiKeyId']);
      const title = 'Before the default changed';
      const made = await acme.again('svc_create_campaign', { title });
      await callers.owner.call('svc_update_workspace', { workspaceId: 'acme', defaultReviewMode: 'all' });
      expect(await acme.again('svc_create_campaign', { title })).to.deep.equal(made);
    });

    it('also where what it needs was so only the first time', async () => {
      const campaignId = await campaign('Versions');
      const graph = { nodes: [{ nodeType: 'network:profile_view', label: 'View' }], edges: [] };
      const { workflowId } = await acme.call('svc_create_workflow', { campaignId, name: 'Flow', graph });
      const add = { workflowId, nodeType: 'flow:end', expectedGraphVersion: 1 };
      const first = await acme.again('svc_add_workflow_node', add);
      expect(first).to.deep.include({ graphVersion: 2 });
      expect(await acme.again('svc_add_workflow_node', add)).to.deep.equal(first);
    });

    it('for a minute', async () => {
      const first = await acme.again('svc_create_campaign', { title: 'A minute' });
      await tools.aMinuteLater();
      expect(await acme.again('svc_create_campaign', { title: 'A minute' })).to.not.deep.equal(first);
    });

    it('many at once make one thing', async () => {
      const calls = (name: string, input: object): Promise<unknown>[] =>
        Array.from({ length: 6 }, () => acme.again(name, input));
      const campaigns = await Promise.all(calls('svc_create_campaign', { title: 'At once' }));
      const lists = await Promise.all(calls('svc_create_lead_list', { name: 'At once' }));
      for (const answers of [campaigns, lists]) for (const answer of answers) expect(answer).to.deep.equal(answers[0]);
      const rows = await tools.rows(`select 1 from campaign where title = 'At once'`);
      expect(rows).to.have.length(1);
    });
  });

  describe('is another one', () => {
    it('where the graph was changed since: a sequence may wait twice as long', async () => {
      const campaignId = await campaign('Sequence');
      const graph = { nodes: [{ nodeType: 'network:profile_view', label: 'View' }], edges: [] };
      const { workflowId } = await acme.call('svc_create_workflow', { campaignId, name: 'Flow', graph });
      const wait = { workflowId, nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 1_000 } };
      await acme.again('svc_add_workflow_node', wait);
      await acme.again('svc_add_workflow_node', { workflowId, nodeType: 'network:follow' });
      await acme.again('svc_add_workflow_node', wait);
      await acme.again('svc_add_workflow_node', wait);
      const { workflow } = await acme.call<{ workflow: { graph: { nodes: { nodeType: string }[] } } }>(
        'svc_get_workflow',
        { workflowId },
      );
      expect(workflow.graph.nodes.map(({ nodeType }) => nodeType)).to.deep.equal([
        'network:profile_view',
        'flow:wait',
        'network:follow',
        'flow:wait',
      ]);
    });

    it('where it starts what is over: import, score, import, score', async () => {
      const campaignId = await campaign('Scored');
      const { icpId } = await acme.call('svc_create_icp', { campaignId, titles: ['CTO'] });
      const load = (name: string): Promise<Record<string, unknown>> =>
        acme.again('svc_import_leads_csv', { campaignId, csv: `Email,Title\n${name}@scored.example,CTO\n` });
      const score = (): Promise<Record<string, unknown>> => acme.again('svc_trigger_icp_scoring', { icpId });
      await load('ada');
      const first = await score();
      await load('bo');
      const second = await score();
      expect([first['status'], second['status']]).to.deep.equal(['completed', 'completed']);
      expect(second['scoringJobId']).to.not.equal(first['scoringJobId']);
      const scored = await tools.rows(
        `select 1 from lead_score s join lead l on l.id = s.lead_id where s.campaign_id = $1 and l.email like '%@scored.example'`,
        [campaignId],
      );
      expect(scored).to.have.length(2);
    });
  });

  describe('goes on where the server broke off', () => {
    it('a copied campaign names its own ICPs, also in the workflows that only the second try made', async () => {
      const campaignId = await campaign('Named parts');
      const { icpId } = await acme.call('svc_create_icp', { campaignId, titles: ['CEO'] });
      const nodes = [{ nodeType: 'source:campaign_pool', config: { icpIds: [icpId] } }, { nodeType: 'flow:end' }];
      const graph = { nodes, edges: [{ sourceIndex: 0, targetIndex: 1 }] };
      for (const name of ['One', 'Two']) await acme.call('svc_create_workflow', { campaignId, name, graph });
      let intents = 0;
      crash = (gap) => {
        if (gap === 'intent' && ++intents === 3) throw new Error('killed');
      };
      await lost(acme.again('svc_duplicate_campaign', { campaignId }));
      crash = undefined;
      const copy = await acme.again<{ campaignId: string }>('svc_duplicate_campaign', { campaignId });
      const rows = await tools.rows<{ named: string; own: string }>(
        `select g.graph #>> '{nodes,0,config,icpIds,0}' as named, i.id::text as own
         from workflow w join workflow_graph g on g.workflow_id = w.id join icp i on i.campaign_id = w.campaign_id
         where w.campaign_id = $1`,
        [copy.campaignId],
      );
      expect(rows).to.have.length(2);
      for (const { named, own } of rows) expect(named).to.equal(own);
    });

    it('a node of the same look that somebody else added meanwhile is not taken for its own', async () => {
      const campaignId = await campaign('Two hands');
      const graph = { nodes: [{ nodeType: 'network:profile_view', label: 'View' }], edges: [] };
      const { workflowId } = await acme.call('svc_create_workflow', { campaignId, name: 'Flow', graph });
      const wait = (durationMs: number): object => ({
        workflowId,
        nodeType: 'flow:wait',
        config: { waitType: 'duration', durationMs },
      });
      crash = (gap) => {
        if (gap === 'applied') throw new Error('killed');
      };
      await lost(acme.again('svc_add_workflow_node', wait(1_000)));
      crash = undefined;
      const other = await tools.as({ workspace: 'acme' });
      await other.again('svc_add_workflow_node', wait(2_000));
      await acme.again('svc_add_workflow_node', wait(1_000));
      const { workflow } = await acme.call<{ workflow: { nodeCount: number } }>('svc_get_workflow', { workflowId });
      expect(workflow.nodeCount, 'the entry, the view and two waits').to.equal(4);
    });
  });

  describe('gives a secret that was lost with the answer', () => {
    const works = async (key: string): Promise<boolean> => {
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
      const call = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
      return (await tools.mcp.post(key, call)).status !== 401;
    };

    it('of an API key: another plaintext of the same key, until it is used; then it says that it was shown once', async () => {
      const call = { workspaceId: 'acme', name: 'Lost', scopes: ['campaigns:read'] };
      const create = (): Promise<{ apiKeyId: string; key: string }> => callers.owner.again('svc_create_api_key', call);
      const first = await create();
      const second = await create();
      expect(second.apiKeyId).to.equal(first.apiKeyId);
      expect([await works(first.key), await works(second.key)]).to.deep.equal([false, true]);
      await tools.rows('update api_key set last_used_at = 1 where id = $1', [second.apiKeyId]);
      expect(await create()).to.deep.include({ apiKeyId: first.apiKeyId, key: '(shown once, in the first answer)' });
      expect(await works(second.key), 'which is left alone').to.equal(true);
      expect(await tools.rows(`select 1 from api_key where name = 'Lost'`)).to.have.length(1);
      const kept = await tools.rows<{ result: string }>('select result::text from idempotency');
      for (const { result } of kept) expect(result).to.not.contain(first.key).and.not.contain(second.key);
    });

    it('of a webhook: the secret that signs from now on, of the same integration', async () => {
      const call = { provider: 'webhook', url: webhook.url, name: 'Lost' };
      const first = await acme.again('svc_connect_integration', call);
      const second = await acme.again('svc_connect_integration', call);
      expect(second['integrationId']).to.equal(first['integrationId']);
      expect(second['signingSecret']).to.be.a('string').and.not.equal(first['signingSecret']);
      expect(await tools.rows(`select 1 from integration where name = 'Lost'`)).to.have.length(1);
    });
  });

  describe('makes nothing twice where its tool is harmless but for that', () => {
    it('svc_upsert_lead: a lead without an address, and its note', async () => {
      const call = { firstName: 'Nameless', lastName: 'Person', company: 'Firm', note: 'Met at the fair' };
      const first = await acme.again<{ leadId: string }>('svc_upsert_lead', call);
      expect(first).to.deep.include({ created: true });
      await acme.again('svc_upsert_lead', { leadId: first.leadId, title: 'CTO' });
      expect(await acme.again('svc_upsert_lead', call)).to.deep.equal({ ...first, created: false });
      const { lead } = await acme.call<{ lead: { notes: unknown[] } }>('svc_get_lead', { leadId: first.leadId });
      expect(lead.notes).to.have.length(1);
    });

    it('svc_admin_link_account: an account without an id at its provider', async () => {
      const call = { action: 'register', accountKind: 'network', displayName: 'Registered once' };
      const first = await callers.admin.again('svc_admin_link_account', call);
      expect(await callers.admin.again('svc_admin_link_account', call)).to.deep.equal(first);
    });

    it('svc_import_leads_csv: one import; a lead that was taken from the list meanwhile is put back', async () => {
      const { leadListId } = await acme.call<{ leadListId: string }>('svc_create_lead_list', { name: 'Imported' });
      const call = { leadListId, csv: 'Email\nada@again.example\nbo@again.example\n' };
      const first = await acme.again('svc_import_leads_csv', call);
      expect(first).to.deep.include({ created: 2 });
      const [lead] = await tools.rows<{ id: string }>(`select id from lead where email = 'ada@again.example'`);
      await acme.call('svc_remove_leads_from_list', { leadListId, leadIds: [lead?.id] });
      expect(await acme.again('svc_import_leads_csv', call)).to.deep.equal(first);
      const { leadList } = await acme.call<{ leadList: { leadCount: number } }>('svc_get_lead_list', { leadListId });
      expect(leadList.leadCount).to.equal(2);
    });
  });
});

/** An answer without what is shown once. */
function known({ key: _, keyPrefix: __, signingSecret: ___, ...rest }: Record<string, unknown>): object {
  return rest;
}
