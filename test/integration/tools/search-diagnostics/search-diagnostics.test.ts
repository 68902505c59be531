import { expect } from 'chai';
import { systemIds } from '../../../../pkg/base/ids.ts';
import type { ToolUser } from '../../../tools/mcp-tools.ts';
import { type McpStage, MONDAY, missing, NOBODY, startMcpStage } from '../mcp-stage.ts';

interface Hit {
  type: string;
  id: string;
  title: string;
  snippet: string;
  getTool: string;
}
interface Found {
  hits: Hit[];
  omittedTypes: string[];
  nextCursor: string | null;
}
interface Check {
  check: string;
  ok: boolean;
  detail: string;
  nextTool: string | null;
}
interface Diagnosis {
  healthy: boolean;
  checks: Check[];
  firstBlocker: Check | null;
  nextTool: string | null;
}

describe('tools: search and diagnostics, by an MCP client', () => {
  let stage: McpStage;

  before(async function () {
    this.timeout(60_000);
    stage = await startMcpStage(12);
  });
  after(() => stage.tools.stop());

  const sql = (text: string, ...values: unknown[]): Promise<unknown[]> => stage.tools.rows(text, values);

  describe('svc_whoami', () => {
    it('tells a workspace key its workspace, a user key its user and workspaces, and needs no scope', async () => {
      expect(await stage.acme.call('svc_whoami')).to.deep.include({
        keyType: 'workspace',
        workspaceId: 'acme',
        workspaceName: 'acme',
      });
      const user = await stage.tools.as({ memberOf: ['acme', 'rival'], scopes: ['leads:read'] });
      const who = await user.call<{ keyType: string; scopes: string[]; workspaces: object[]; user: { email: string } }>(
        'svc_whoami',
      );
      expect([who.keyType, who.scopes, who.workspaces.length]).to.deep.equal(['user', ['leads:read'], 2]);
      expect(who.user.email).to.match(/@test\.example$/);
    });
  });

  describe('svc_submit_feedback', () => {
    it('keeps what was said, of which tool, by whom', async () => {
      const { feedbackId } = await stage.acme.call<{ feedbackId: string }>('svc_submit_feedback', {
        category: 'bug',
        message: 'The export is slow.',
        toolName: 'svc_search_leads',
      });
      expect(
        await sql(
          'select workspace_id, category, severity, tool_name, message from feedback where id = $1',
          feedbackId,
        ),
      ).to.deep.equal([
        {
          workspace_id: 'acme',
          category: 'bug',
          severity: 'medium',
          tool_name: 'svc_search_leads',
          message: 'The export is slow.',
        },
      ]);
    });

    it('a key with the lowest scope alone can still report; an empty message says nothing', async () => {
      const low = await stage.tools.as({ workspace: 'acme', scopes: ['workspace:read'] });
      await low.call('svc_submit_feedback', { category: 'other', message: 'Hello' });
      expect(await low.refusal('svc_submit_feedback', { category: 'bug', message: '' })).to.match(
        /^Invalid input: message: /,
      );
    });
  });

  describe('svc_search', () => {
    const find = (query: string, more: object = {}, user = stage.acme): Promise<Found> =>
      user.call('svc_search', { query, ...more });
    const types = ({ hits }: Found): string[] => [...new Set(hits.map((hit) => hit.type))];

    it('finds records of every kind by text, each with the tool that reads it', async () => {
      await stage.acme.call('svc_create_campaign', { title: 'Zebra launch' });
      await stage.acme.call('svc_create_lead_list', { name: 'Zebra buyers' });
      await stage.workflow(undefined, 'Zebra hello');
      await stage.acme.call('svc_import_leads_csv', {
        csv: 'First name,Last name,Email,Company\nZebra,Person,zoe@zebra.example,Stripes\n',
      });
      await sql(
        `insert into conversation (id, account_id, external_id, participant_name) values (gen_random_uuid(), $1, 'z', 'Zebra Talk')`,
        stage.accountId,
      );
      const found = await find('zebra');
      expect(types(found)).to.deep.equal(['campaign', 'lead', 'lead_list', 'workflow', 'conversation']);
      expect(found.omittedTypes).to.deep.equal([]);
      for (const hit of found.hits.filter((one) => one.type === 'campaign')) {
        const { campaign } = await stage.acme.call<{ campaign: { title: string } }>(hit.getTool, {
          campaignId: hit.id,
        });
        expect(campaign.title).to.equal(hit.title);
      }
      expect(types(await find('zoe@zebra.example'))).to.deep.equal(['lead']);
      expect((await find('zebra', {}, stage.rival)).hits, 'nothing of another workspace').to.deep.equal([]);
    });

    it('finds by id', async () => {
      const workflowId = await stage.workflow(undefined, 'By id');
      expect((await find(workflowId)).hits.map((hit) => hit.id)).to.deep.equal([workflowId]);
      const [leadId = ''] = stage.leads;
      expect((await find(leadId)).hits.map((hit) => hit.id)).to.deep.equal([leadId]);
    });

    it('leaves out kinds that the key may not read, and names them', async () => {
      const narrow = await stage.tools.as({ workspace: 'acme', scopes: ['workspace:read', 'workflows:read'] });
      const found = await find('zebra', { types: ['campaign', 'workflow', 'lead'] }, narrow);
      expect(types(found)).to.deep.equal(['workflow']);
      expect(found.omittedTypes).to.deep.equal(['campaign', 'lead']);
    });

    it('pages over the kinds without gaps', async () => {
      const whole = await find('zebra', { limit: 100 });
      const seen: string[] = [];
      for (let cursor: string | null = null; ; ) {
        const page: Found = await find('zebra', { limit: 2, ...(cursor ? { cursor } : {}) });
        seen.push(...page.hits.map((hit) => hit.id));
        cursor = page.nextCursor;
        if (cursor === null) break;
      }
      expect(seen).to.deep.equal(whole.hits.map((hit) => hit.id));
    });

    it('takes wildcards as letters, and refuses the cursor of another search', async () => {
      expect((await find('%')).hits).to.deep.equal([]);
      const { nextCursor: cursor } = await find('zebra', { limit: 1 });
      expect(await stage.acme.refusal('svc_search', { query: 'other', cursor })).to.match(/^Invalid input: cursor: /);
    });
  });

  describe('svc_diagnose', () => {
    let workflowId: string;
    let runId: string;
    before(async () => {
      workflowId = await stage.workflow(undefined, 'Diagnosed');
      [runId = ''] = await stage.started(workflowId, stage.leads.slice(0, 1));
      const { icpId } = await stage.acme.call<{ icpId: string }>('svc_create_icp', { campaignId: stage.campaignId });
      await sql(
        `insert into lead_score (workspace_id, campaign_id, icp_id, lead_id, icp_score, signal_score, total, computed_at)
         values ('acme', $1, $3, $2, 90, 0, 90, 1)`,
        stage.campaignId,
        stage.leads[0],
        icpId,
      );
    });
    const ids = (): Record<string, string> => ({
      workflow: workflowId,
      lead: stage.leads[0] ?? '',
      network_account: stage.accountId,
    });
    const diagnose = (target: string): Promise<Diagnosis> =>
      stage.acme.call('svc_diagnose', { target, ...(target === 'workspace' ? {} : { targetId: ids()[target] }) });
    const failed = async (target: string): Promise<Map<string, Check>> =>
      new Map((await diagnose(target)).checks.filter((check) => !check.ok).map((check) => [check.check, check]));
    const waits = (reason: string): string =>
      `update run set state = 'waiting', wait_reason = '${reason}', due_at = null where id = $1`;

    /** Target, check, tool that it names, what causes it, what clears it: each a statement about the target's own row. */
    const CAUSES: readonly (readonly [string, string, string, string, string, () => unknown[]])[] = [
      [
        'workspace',
        'workspace_running',
        'svc_get_workspace',
        `update workspace set operating_mode = 'Suspended' where id = $1`,
        `update workspace set operating_mode = 'Running' where id = $1`,
        () => ['acme'],
      ],
      [
        'workspace',
        'send_freeze',
        'svc_admin_set_send_freeze',
        `insert into send_freeze (id, scope, target, reason, frozen_by, since) values (gen_random_uuid(), 'workspace', $1, 'audit', 'x', 1)`,
        'delete from send_freeze where target = $1',
        () => ['acme'],
      ],
      [
        'workspace',
        'accounts_linked',
        'svc_admin_link_account',
        'delete from account_link where account_id = $1',
        `insert into account_link (account_id, workspace_id, linked_at) values ($1, 'acme', 1)`,
        () => [stage.accountId],
      ],
      [
        'workspace',
        'accounts_healthy',
        'svc_list_network_accounts',
        `update network_account set status = 'checkpoint' where id = $1`,
        `update network_account set status = 'ok' where id = $1`,
        () => [stage.accountId],
      ],
      [
        'workspace',
        'executor',
        'svc_get_workspace',
        `insert into workspace_wake (workspace_id, due_at) values ($1, 1) on conflict (workspace_id) do update set due_at = 1`,
        `update workspace_wake set due_at = ${MONDAY} where workspace_id = $1`,
        () => ['acme'],
      ],
      [
        'workflow',
        'graph_valid',
        'svc_validate_workflow',
        `update workflow set graph_problem = 'InvalidGraph: x.' where id = $1`,
        'update workflow set graph_problem = null where id = $1',
        () => [workflowId],
      ],
      [
        'workflow',
        'waiting_budget',
        'svc_get_network_account_budgets',
        waits('budget'),
        waits('duration'),
        () => [runId],
      ],
      [
        'workflow',
        'waiting_account_unhealthy',
        'svc_list_network_accounts',
        waits('account_unhealthy'),
        waits('duration'),
        () => [runId],
      ],
      ['workflow', 'waiting_review', 'svc_list_review_items', waits('review'), waits('duration'), () => [runId]],
      ['workflow', 'waiting_credits', 'svc_get_credit_balance', waits('credits'), waits('duration'), () => [runId]],
      [
        'workflow',
        'waiting_send_freeze',
        'svc_admin_set_send_freeze',
        waits('send_freeze'),
        waits('duration'),
        () => [runId],
      ],
      [
        'workflow',
        'waiting_unknown_outcome',
        'svc_admin_list_dead_letters',
        waits('unknown_outcome'),
        waits('duration'),
        () => [runId],
      ],
      [
        'lead',
        'not_erased',
        'svc_search_leads',
        'update lead set erased_at = 1 where id = $1',
        'update lead set erased_at = null where id = $1',
        () => [stage.leads[0]],
      ],
      [
        'lead',
        'profile_known',
        'svc_upsert_lead',
        'update lead set profile_id = null where id = $1',
        `update lead set profile_id = 'lead-0000' where id = $1`,
        () => [stage.leads[0]],
      ],
      [
        'lead',
        'scored',
        'svc_get_icp_scores',
        'update lead_score set total = 3 where lead_id = $1',
        'update lead_score set total = 90 where lead_id = $1',
        () => [stage.leads[0]],
      ],
      [
        'network_account',
        'account_status',
        'svc_get_network_account_health',
        `update network_account set status = 'restricted' where id = $1`,
        `update network_account set status = 'ok' where id = $1`,
        () => [stage.accountId],
      ],
      [
        'network_account',
        'account_paused',
        'svc_update_network_account_settings',
        'update network_account set paused = true where id = $1',
        'update network_account set paused = false where id = $1',
        () => [stage.accountId],
      ],
      [
        'network_account',
        'cooldown',
        'svc_get_network_account_health',
        `update network_account set cooldown_until = ${MONDAY + 1} where id = $1`,
        'update network_account set cooldown_until = null where id = $1',
        () => [stage.accountId],
      ],
      [
        'network_account',
        'health',
        'svc_get_network_account_health',
        'update network_account set health = 0 where id = $1',
        'update network_account set health = 1 where id = $1',
        () => [stage.accountId],
      ],
      [
        'network_account',
        'send_freeze',
        'svc_admin_set_send_freeze',
        `insert into send_freeze (id, scope, target, reason, frozen_by, since) values (gen_random_uuid(), 'account', $1, 'audit', 'x', 1)`,
        'delete from send_freeze where target = $1',
        () => [stage.accountId],
      ],
      [
        'network_account',
        'budget',
        'svc_get_network_account_budgets',
        `insert into account_budget (account_id, action, head_date, used, limit_day, limit_week) values ($1, 'message', '2026-03-02', '{5,0,0,0,0,0,0}', 5, 9)`,
        'delete from account_budget where account_id = $1',
        () => [stage.accountId],
      ],
    ];
    // No executor runs here: what is due is put off, except where a test is about it.
    beforeEach(() => sql('delete from workspace_wake'));

    for (const [target, check, tool, cause, clear, values] of CAUSES) {
      it(`${target}: ${check} fails by its cause, names ${tool}, and clears`, async () => {
        expect([...(await failed(target)).keys()], 'before').to.not.include(check);
        await sql(cause, ...values());
        try {
          const found = (await failed(target)).get(check);
          expect(found?.nextTool).to.equal(tool);
          expect((await diagnose(target)).healthy).to.equal(false);
        } finally {
          await sql(clear, ...values());
        }
        expect([...(await failed(target)).keys()], 'after').to.not.include(check);
      });
    }

    describe('clears by the tool that it names', () => {
      let boss: ToolUser;
      let flow: string;
      before(async () => {
        const userId = await stage.tools.mcp.user({ admin: true });
        boss = stage.tools.user(await stage.tools.mcp.client((await stage.tools.mcp.key({ userId })).plaintext));
        flow = await stage.workflow(undefined, 'Unfed');
      });
      const acme = (name: string, input: object): Promise<unknown> => stage.acme.call(name, input);
      const idle = { workspaceId: 'acme', reason: 'test' };
      const account = (): object => ({ networkAccountId: stage.accountId });
      const of = (target: string): string => (target === 'unfed' ? 'workflow' : target);
      const open = async (target: string): Promise<Map<string, Check>> => {
        if (target !== 'unfed') return failed(target);
        const found = await stage.acme.call<Diagnosis>('svc_diagnose', { target: of(target), targetId: flow });
        return new Map(found.checks.filter((check) => !check.ok).map((check) => [check.check, check]));
      };

      /** Target, check, what causes it, and what the named tool is called with. `boss` is an admin of the platform. */
      const FOLLOWED: readonly {
        target: string;
        check: string;
        cause: () => Promise<unknown>;
        follow: (tool: string) => Promise<unknown>;
      }[] = [
        {
          target: 'workspace',
          check: 'send_freeze',
          cause: () => boss.call('svc_admin_set_send_freeze', { ...idle, frozen: true }),
          follow: (tool) => boss.call(tool, { ...idle, frozen: false }),
        },
        {
          target: 'network_account',
          check: 'send_freeze',
          cause: () =>
            boss.call('svc_admin_set_send_freeze', { accountId: stage.accountId, reason: 'x', frozen: true }),
          follow: (tool) => boss.call(tool, { accountId: stage.accountId, reason: 'x', frozen: false }),
        },
        {
          target: 'workspace',
          check: 'accounts_linked',
          cause: () =>
            boss.call('svc_admin_link_account', {
              action: 'unlink',
              accountKind: 'network',
              accountId: stage.accountId,
              workspaceId: 'acme',
            }),
          follow: (tool) =>
            boss.call(tool, {
              action: 'link',
              accountKind: 'network',
              accountId: stage.accountId,
              workspaceId: 'acme',
            }),
        },
        {
          target: 'workspace',
          check: 'accounts_healthy',
          cause: () => acme('svc_update_network_account_settings', { ...account(), paused: true }),
          follow: (tool) => acme(tool, { ...account(), paused: false }),
        },
        {
          target: 'network_account',
          check: 'account_paused',
          cause: () => acme('svc_update_network_account_settings', { ...account(), paused: true }),
          follow: (tool) => acme(tool, { ...account(), paused: false }),
        },
        {
          target: 'workspace',
          check: 'holds',
          cause: () =>
            sql(
              `insert into hold (workspace_id, kind, id, reason, held_by, created_at) values ('acme', 'workflow', $1, 'StoppedByTool', 'x', 1)`,
              workflowId,
            ),
          follow: (tool) => acme(tool, { workflowId, enabled: true }),
        },
        {
          target: 'workflow',
          check: 'enabled',
          cause: () => acme('svc_update_workflow_status', { workflowId, enabled: false }),
          follow: (tool) => acme(tool, { workflowId, enabled: true }),
        },
        {
          target: 'workflow',
          check: 'hold',
          cause: () => acme('svc_update_workflow_status', { workflowId, enabled: false }),
          follow: (tool) => acme(tool, { workflowId, enabled: true }),
        },
        {
          target: 'workflow',
          check: 'campaign_active',
          cause: () => acme('svc_update_campaign', { campaignId: stage.campaignId, status: 'paused' }),
          follow: (tool) => acme(tool, { campaignId: stage.campaignId, status: 'active' }),
        },
        {
          target: 'lead',
          check: 'run',
          cause: () => acme('svc_control_workflow_runs', { runIds: [runId], action: 'pause' }),
          follow: (tool) => acme(tool, { runIds: [runId], action: 'resume' }),
        },
        {
          target: 'lead',
          check: 'profile_known',
          cause: () => sql(`update lead set profile_id = null, profile_url = '' where id = $1`, stage.leads[0]),
          follow: (tool) => acme(tool, { leadId: stage.leads[0], profileUrl: 'https://www.linkedin.com/in/lead-0000' }),
        },
        {
          target: 'lead',
          check: 'scored',
          cause: () => sql('delete from lead_score where lead_id = $1', stage.leads[0]),
          follow: async (tool) => {
            const { icps } = await stage.acme.call<{ icps: { icpId: string }[] }>('svc_list_icps', {
              campaignId: stage.campaignId,
            });
            await acme('svc_update_icp', { icpId: icps[0]?.icpId, keywords: ['Firm'] });
            await acme(tool, { icpId: icps[0]?.icpId });
          },
        },
      ];

      for (const { target, check, cause, follow } of FOLLOWED) {
        it(`${target}: ${check}`, async () => {
          await cause();
          await sql('delete from workspace_wake');
          const found = (await open(target)).get(check);
          if (!found?.nextTool) throw new Error(`${check} did not fail`);
          await follow(found.nextTool);
          await sql('delete from workspace_wake');
          expect([...(await open(target)).keys()]).to.not.include(check);
        });
      }

      it('reviews and dead letters: the named list leads to the decision', async () => {
        const [reviewItemId, sendId] = [systemIds.uuid(), systemIds.uuid()];
        await sql(
          `insert into review_item (id, workspace_id, workflow_id, campaign_id, run_id, node_id, send_node_id, lead_id, account_id, channel, body, original_body, state, created_at, expires_at)
           select $1, r.workspace_id, r.workflow_id, r.campaign_id, r.id, r.node_id, r.node_id, r.lead_id, $3, 'message', 'Hi', 'Hi', 'pending', 1, $4 from run r where r.id = $2`,
          reviewItemId,
          runId,
          stage.accountId,
          MONDAY + 1e9,
        );
        const waiting = (await failed('workspace')).get('reviews');
        const { reviewItems } = await stage.acme.call<{ reviewItems: { reviewItemId: string }[] }>(
          waiting?.nextTool ?? '',
        );
        await stage.acme.call('svc_reject_review_item', { reviewItemId: reviewItems[0]?.reviewItemId, reason: 'no' });
        expect((await failed('workspace')).has('reviews')).to.equal(false);
        await stage.tools.force(
          `insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, state, epoch, claimed_at, dispatched_at, dead_letter_at, dead_letter_state)
           select $1, r.workspace_id, r.workflow_id, r.campaign_id, r.id, r.node_id, r.lead_id, r.person_id, $3, 'message', 'unknown', 1, 1, 1, 1, 'open' from run r where r.id = $2`,
          [sendId, runId, stage.accountId],
        );
        const letter = (await failed('workspace')).get('dead_letters');
        const { deadLetters } = await boss.call<{ deadLetters: { deadLetterId: string }[] }>(letter?.nextTool ?? '', {
          workspaceId: 'acme',
        });
        await boss.call('svc_admin_resolve_dead_letter', {
          deadLetterId: deadLetters[0]?.deadLetterId,
          resolution: 'discard',
          reason: 'seen',
        });
        expect((await failed('workspace')).has('dead_letters')).to.equal(false);
      });
    });

    it('an empty workspace is led step by step: leads, a workflow, an enabled one', async () => {
      const open = async (): Promise<string[]> =>
        (await stage.rival.call<Diagnosis>('svc_diagnose', { target: 'workspace' })).checks
          .filter((check) => !check.ok)
          .map((check) => check.check);
      expect(await open()).to.include.members(['accounts_linked', 'leads_present', 'workflows_present']);
      await stage.tools.account('rival');
      const { campaignId } = await stage.rival.call<{ campaignId: string }>('svc_create_campaign', { title: 'First' });
      await stage.rival.call('svc_import_leads_csv', { csv: 'Name,Email\nAda Lead,ada@r.example\n', campaignId });
      const graph = { nodes: [{ nodeType: 'network:profile_view' }], edges: [] };
      const made = await stage.rival.call<{ workflowId: string }>('svc_create_workflow', {
        campaignId,
        name: 'W',
        graph,
      });
      await sql('delete from workspace_wake');
      expect(await open()).to.deep.equal(['workflows_enabled']);
      await stage.rival.call('svc_update_workflow_status', { workflowId: made.workflowId, enabled: true });
      await sql('delete from workspace_wake');
      expect(await open()).to.deep.equal([]);
    });

    it('names the first blocker, and its tool as the next', async () => {
      const { firstBlocker, nextTool } = await stage.rival.call<Diagnosis>('svc_diagnose', { target: 'workspace' });
      expect([firstBlocker, nextTool]).to.deep.equal([null, null]);
      await sql(`update workspace set operating_mode = 'Suspended' where id = 'rival'`);
      const stopped = await stage.rival.call<Diagnosis>('svc_diagnose', { target: 'workspace' });
      expect([stopped.firstBlocker?.check, stopped.nextTool]).to.deep.equal(['workspace_running', 'svc_get_workspace']);
      await sql(`update workspace set operating_mode = 'Running' where id = 'rival'`);
    });

    it('refuses a target that is not there, and one without an id', async () => {
      for (const [target, label, list] of [
        ['workflow', 'Workflow', 'svc_list_workflows'],
        ['lead', 'Lead', 'svc_search_leads'],
        ['network_account', 'Network account', 'svc_list_network_accounts'],
      ] as const) {
        expect(await stage.acme.refusal('svc_diagnose', { target, targetId: NOBODY })).to.equal(
          missing(label, NOBODY, list),
        );
        expect(await stage.acme.refusal('svc_diagnose', { target })).to.equal(
          `Invalid input: targetId: is required for target ${target}`,
        );
      }
    });
  });
});
