import { expect } from 'chai';
import { systemIds } from '../../../../pkg/base/ids.ts';
import { endDueWorkspaces } from '../../../../pkg/controllers/retention/workspace-deletions.ts';
import { type Certificate, isGenuine } from '../../../../pkg/store/erasure/certificates.ts';
import { COLUMN_MARKS } from '../../../../pkg/store/erasure/column-marks.ts';
import { purgeDeleted } from '../../../../pkg/store/erasure/purge-deleted.ts';
import { dumpOf, pastRules, plantWords, tablesWith } from '../../../fixtures/store/plant-words.ts';
import { eventually } from '../../../tools/kube.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const NAME = 'svc_admin_delete_workspace';
const DAY = 86_400_000;
const reason = 'their contract ended';

describe('svc_admin_delete_workspace', function () {
  this.timeout(120_000);
  let tools: McpTools;
  let admin: ToolUser;

  before(async () => {
    tools = await startMcpTools();
    const userId = await tools.mcp.user({ admin: true });
    admin = tools.user(await tools.mcp.client((await tools.mcp.key({ userId })).plaintext));
  });
  after(() => tools.stop());

  const remove = (input: object): Promise<{ status: string; eraseAt: string | null }> =>
    admin.call(NAME, { reason, ...input });
  const mode = async (name: string): Promise<unknown> =>
    ((await tools.cluster.object(`workspaces/outrider/${name}`))?.spec as { operatingMode?: string } | undefined)
      ?.operatingMode;
  const statusOf = async (workspaceId: string): Promise<unknown> =>
    (await admin.call<{ workspace: { status: string } }>('svc_admin_get_workspace', { workspaceId })).workspace.status;

  it('asks for the name, suspends now, ends the keys at once, and erases after the grace', async () => {
    tools.cluster.clock.at = tools.cluster.clock.now();
    await tools.workspace('first');
    const bearer = await tools.as({ workspace: 'first' });
    await bearer.call('svc_list_campaigns');
    const wrong = { workspaceId: 'first', confirmName: 'First', reason };
    expect(await admin.refusal(NAME, wrong)).to.match(/^Invalid input: confirmName: differs from the name/);
    await bearer.call('svc_list_campaigns');
    const asked = { workspaceId: 'first', confirmName: 'first', graceDays: 10 };
    const marked = await remove(asked);
    expect(marked).to.deep.include({
      status: 'deleting',
      eraseAt: new Date(tools.cluster.clock.now() + 10 * DAY).toISOString(),
    });
    expect(await mode('first')).to.equal('Suspended');
    expect(await bearer.refusal('svc_list_campaigns').catch((error: unknown) => String(error))).to.match(/401|key/i);
    expect(await statusOf('first')).to.equal('deleting');
    tools.cluster.clock.at = tools.cluster.clock.now() + DAY;
    expect(await remove(asked), 'the same mark again').to.deep.equal(marked);
  });

  for (const before of ['active', 'suspended'] as const) {
    it(`a mark is taken back: the workspace is ${before} as before, and ended keys stay ended`, async () => {
      const id = `back-${before}`;
      await tools.workspace(id);
      const bearer = await tools.as({ workspace: id });
      await admin.call('svc_admin_update_workspace', { workspaceId: id, status: before, reason });
      await remove({ workspaceId: id, confirmName: id });
      const back = { workspaceId: id, confirmName: id, cancel: true };
      expect(await remove(back)).to.deep.include({ status: before, eraseAt: null });
      expect(await remove(back), 'again').to.deep.include({ status: before, eraseAt: null });
      expect(await statusOf(id)).to.equal(before);
      expect(await tools.rows('select 1 from hold where workspace_id = $1', [id])).to.deep.equal([]);
      expect(await bearer.refusal('svc_list_campaigns').catch((error: unknown) => String(error))).to.match(/401|key/i);
    });
  }

  it('a marked workspace is closed to the user keys of its members until the mark is taken back', async () => {
    await tools.workspace('closing');
    const member = await tools.as({ memberOf: ['closing', 'rival'] });
    const only = await tools.as({ memberOf: ['closing'] });
    const { campaignId } = await member.call('svc_create_campaign', { workspaceId: 'closing', title: 'Their last' });
    const key = { workspaceId: 'closing', name: 'k', scopes: ['leads:read'], keyType: 'user' };
    const calls: [string, object][] = [
      ['svc_search_leads', { workspaceId: 'closing', limit: 1 }],
      ['svc_upsert_lead', { workspaceId: 'closing', firstName: 'A', email: 'a@b.example' }],
      ['svc_create_invitation', { workspaceId: 'closing', email: 'new@acorn.example' }],
      ['svc_create_api_key', key],
    ];
    await remove({ workspaceId: 'closing', confirmName: 'closing' });
    const closed = /marked for deletion and is erased after .* platform admin .*cancel: true/;
    for (const [name, input] of calls) expect(await member.refusal(name, input), name).to.match(closed);
    expect(await only.refusal('svc_get_campaign', { campaignId }), 'a record').to.match(closed);
    expect(await member.refusal('svc_get_campaign', { campaignId }), 'a record beside others').to.match(/not found/);
    await member.call('svc_search_leads', { workspaceId: 'rival', limit: 1 });
    const update = { workspaceId: 'closing', status: 'active', reason };
    expect(await admin.refusal('svc_admin_update_workspace', update)).to.match(
      /marked for deletion.*svc_admin_delete_workspace with cancel: true/,
    );
    expect(await statusOf('closing')).to.equal('deleting');
    await remove({ workspaceId: 'closing', confirmName: 'closing', cancel: true });
    await member.call('svc_create_api_key', key);
  });

  it('after the grace each erasable column is empty, others keep theirs, and a signed proof outlives the workspace', async () => {
    const operator = await tools.cluster.operator();
    await tools.workspace('doomed');
    const doomed = await tools.as({ workspace: 'doomed' });
    const { campaignId } = await doomed.call<{ campaignId: string }>('svc_create_campaign', { title: 'marker title' });
    const graph = { nodes: [{ nodeType: 'network:message', config: { text: 'marker text' } }], edges: [] };
    const { workflowId } = await doomed.call<{ workflowId: string }>('svc_create_workflow', {
      campaignId,
      name: 'marker flow',
      graph,
    });
    const account = await tools.account('doomed');
    const shared = await tools.account('doomed', 'acme');
    await tools.force(`update network_account set display_name = 'stays' where id = $1`, [shared]);
    const user = await tools.mcp.user();
    await tools.force(
      `insert into member (id, workspace_id, user_id, role, joined_at)
       values (gen_random_uuid(), 'doomed', $1, 'member', 1)`,
      [user],
    );
    const [run, send, lead] = [systemIds.uuid(), systemIds.uuid(), systemIds.uuid()];
    const ids = {
      ...{ run_id: run, send_id: send, lead_id: lead, account_id: account, user_id: user },
      ...{ campaign_id: campaignId, workflow_id: workflowId, job_id: systemIds.uuid() },
      conversation_id: systemIds.uuid(),
    };
    const planted = await pastRules(tools.cluster.superuserUrl, (force) =>
      plantWords(force, {
        workspaceId: 'doomed',
        ids,
        own: {
          ...{ run, send, lead, conversation: ids.conversation_id, background_job: ids.job_id },
          ...{ app_user: user, network_account: account },
        },
        word: (table, column, mark) => {
          const marks = COLUMN_MARKS[table];
          const belongs =
            marks?.workspace !== '' || marks?.person?.includes('runs') || marks?.person?.includes('sends');
          // Written by the tools above, and followed by the operator.
          const made = ['workspace', 'campaign', 'workflow', 'workflow_graph'].includes(table);
          const hashed = mark === 'hash';
          const proof = table === 'audit_event' || table === 'send_freeze';
          return hashed || made || proof || !belongs ? null : `marker-${table}-${column}`.replaceAll('_', '-');
        },
      }),
    );
    expect(planted.length).to.be.greaterThan(30);
    const other = await tools.as({ workspace: 'acme' });
    await other.call('svc_create_campaign', { title: 'Keepers' });
    await remove({ workspaceId: 'doomed', confirmName: 'doomed', graceDays: 3 });
    const signal = new AbortController().signal;
    const look = async (): Promise<void> => {
      await endDueWorkspaces(operator.context, signal);
      const now = tools.cluster.clock.now();
      while ((await tools.mcp.platform((tx) => purgeDeleted(tx, now, 2))) !== null);
    };
    tools.cluster.clock.at = tools.cluster.clock.now() + 3 * DAY - 1;
    await look();
    expect(await tools.cluster.object('workspaces/outrider/doomed'), 'within the grace').to.not.equal(undefined);
    tools.cluster.clock.at = tools.cluster.clock.now() + 1;
    await look();
    await eventually('its resource is gone', async () => {
      await look();
      return (await tools.cluster.object('workspaces/outrider/doomed')) === undefined;
    });
    await eventually('its rows are marked deleted', async () => {
      const [row] = await tools.rows<{ at: number | null }>(
        `select deleted_at as at from workspace where id = 'doomed'`,
      );
      return row?.at != null;
    });
    await look();
    await look();
    const after = await pastRules(tools.cluster.superuserUrl, dumpOf);
    for (const { table, words } of planted)
      for (const word of words) expect(tablesWith(after, word), `${table}: ${word}`).to.deep.equal([]);
    expect(tablesWith(after, 'marker')).to.deep.equal([]);
    expect(tablesWith(after, 'Keepers')).to.include('campaign');
    expect(tablesWith(after, 'stays')).to.include('network_account');
    const { deletion } = await admin.call<{ deletion: { certificate: Certificate; erasedAt: string } }>(
      'svc_admin_get_workspace',
      { workspaceId: 'doomed' },
    );
    expect(isGenuine(deletion.certificate)).to.equal(true);
    const says = JSON.parse(deletion.certificate.signed) as { workspaceId: string; erased: object; kept: object };
    expect(says).to.include({ kind: 'workspace_deletion', workspaceId: 'doomed' });
    expect(says.erased).to.include({ lead: 1, integration: 1 });
    expect(says.kept).to.include({ send: 1 });
    const gone = { workspaceId: 'doomed', confirmName: 'doomed', cancel: true, reason };
    expect(await admin.refusal(NAME, gone)).to.match(/was not found/);
  });
});
