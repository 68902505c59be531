import { objectRef } from '../../../../pkg/api/object.ts';
import type { KubeObject } from '../../../../pkg/kube/types.ts';
import { RESOURCES } from '../../../../pkg/tools/resources/kinds.ts';
import { PLAIN_GRAPH } from '../../../fixtures/tools/error-fixture.ts';
import { NOBODY } from '../../../fixtures/tools/mcp-fixture.ts';
import { absent, campaignOf, type ErrorRow, row } from './error-row.ts';

/** What a graph may be refused for, by the catalog's words. */
const BAD_GRAPHS: Readonly<Record<string, object>> = {
  'unknown nodeType': { nodes: [{ nodeType: 'network:teleport' }], edges: [] },
  'bad config': { nodes: [{ nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: -1 } }], edges: [] },
  'edge index out of range': { nodes: [{ nodeType: 'flow:join' }], edges: [{ sourceIndex: 0, targetIndex: 7 }] },
  'unknown branch': {
    nodes: [{ nodeType: 'flow:join' }, { nodeType: 'flow:end' }],
    edges: [{ sourceIndex: 0, targetIndex: 1, branch: 'sideways' }],
  },
  cycle: {
    nodes: [{ nodeType: 'source:manual' }, { nodeType: 'flow:join' }, { nodeType: 'flow:join' }],
    edges: [
      { sourceIndex: 0, targetIndex: 1 },
      { sourceIndex: 1, targetIndex: 2 },
      { sourceIndex: 2, targetIndex: 1 },
    ],
  },
  'unreachable node': {
    nodes: [{ nodeType: 'source:manual' }, { nodeType: 'flow:join' }, { nodeType: 'flow:end' }],
    edges: [{ sourceIndex: 0, targetIndex: 1 }],
  },
  'missing outcome branch': {
    nodes: [
      { nodeType: 'flow:split', config: { branches: [{ name: 'a' }, { name: 'b' }] } },
      { nodeType: 'network:profile_view' },
    ],
    edges: [{ sourceIndex: 0, targetIndex: 1, branch: 'a' }],
  },
};
const REJECTED =
  'graph rejected: unknown nodeType, bad config, edge index out of range, unknown branch, cycle, unreachable node, missing outcome branch';
const GRAPH_TEXT = /^Invalid input: .+ Call svc_get_workflow_node_types/;
const workflows: ErrorRow[] = [
  ...Object.values(BAD_GRAPHS).flatMap((graph) => [
    row('svc_create_workflow', REJECTED, ({ campaignId }) => ({ campaignId, name: 'Bad', graph }), GRAPH_TEXT),
    row('svc_update_workflow', REJECTED, ({ plainId }) => ({ workflowId: plainId, graph }), GRAPH_TEXT),
  ]),
  absent('svc_update_workflow', 'providerAccount', 'Provider account', NOBODY, ({ plainId }) => ({
    workflowId: plainId,
    providerAccountIds: [NOBODY],
  })),
  row(
    'svc_update_workflow',
    'wrong state: graphVersion moved on',
    ({ plainId }) => ({ workflowId: plainId, graph: PLAIN_GRAPH, expectedGraphVersion: 9 }),
    /^The graph is at version 1, not 9\. Call svc_get_workflow\.$/,
  ),
  row(
    'svc_delete_workflow',
    'wrong state: workflow is enabled',
    ({ reviewedId }) => ({ workflowId: reviewedId }),
    /^The workflow is enabled; disable it first\. Call svc_update_workflow_status\.$/,
  ),
  {
    tool: 'svc_update_workflow_status',
    error: 'wrong state: graph no longer valid',
    refused: async (fixture) => {
      const { campaignId } = fixture;
      const made = { campaignId, name: 'Spoilt', graph: PLAIN_GRAPH };
      const { workflowId } = await fixture.acme.call<{ workflowId: string }>('svc_create_workflow', made);
      const { client } = fixture.tools.cluster;
      const metadata = objectRef(workflowId, 'outrider');
      const live = await client.get<KubeObject & { spec: object }>(RESOURCES.Workflow, metadata);
      const graph = { nodes: [{ nodeId: 'n', nodeType: 'bad', label: '', config: {} }], edges: [] };
      const { apiVersion, kind, spec } = live;
      const left = { apiVersion, kind, metadata, spec: { ...spec, graph } };
      await client.apply(RESOURCES.Workflow, left, { fieldManager: 'outrider-mcp', force: true });
      await fixture.acme.refusal('svc_update_workflow', { workflowId, name: 'Seen' });
      return fixture.acme.refusal('svc_update_workflow_status', { workflowId, enabled: true });
    },
    text: /^The graph can't run: .* Call svc_validate_workflow\.$/s,
  },
  {
    tool: 'svc_update_workflow_status',
    error: 'wrong state: no healthy account linked to the workspace',
    refused: async ({ rival }) => {
      const { campaignId } = await rival.call<{ campaignId: string }>('svc_create_campaign', { title: 'Alone' });
      const made = { campaignId, name: 'W', graph: PLAIN_GRAPH };
      const { workflowId } = await rival.call<{ workflowId: string }>('svc_create_workflow', made);
      return rival.refusal('svc_update_workflow_status', { workflowId, enabled: true });
    },
    text: /^No healthy network account is linked to the workspace\. Call svc_list_network_accounts\.$/,
  },
  ...(['paused', 'completed', 'archived'] as const).map(
    (status): ErrorRow => ({
      tool: 'svc_update_workflow_status',
      error: 'wrong state: campaign paused, completed or archived (a draft is activated, said in warnings)',
      refused: async (fixture) => {
        const campaignId = await campaignOf(fixture, status);
        const made = { campaignId, name: 'W', graph: PLAIN_GRAPH };
        const { workflowId } = await fixture.acme.call<{ workflowId: string }>('svc_create_workflow', made);
        for (const next of status === 'archived' ? ['archived'] : ['active', status])
          await fixture.acme.call('svc_update_campaign', { campaignId, status: next });
        return fixture.acme.refusal('svc_update_workflow_status', { workflowId, enabled: true });
      },
      text: new RegExp(`^The campaign is ${status}; set it to active first\\. Call svc_update_campaign\\.$`),
    }),
  ),
  absent('svc_validate_workflow', 'lead', 'Lead', NOBODY, ({ plainId }) => ({
    workflowId: plainId,
    sampleLeadId: NOBODY,
  })),
];

const execution: ErrorRow[] = [
  row(
    'svc_trigger_workflow',
    'wrong state: workflow is disabled',
    ({ plainId, sharedLeadId }) => ({ workflowId: plainId, leadIds: [sharedLeadId] }),
    /^The workflow is disabled\. Call svc_update_workflow_status\.$/,
  ),
  absent('svc_list_leads_at_node', 'workflowNode', 'Workflow node', 'nope', ({ reviewedId }) => ({
    workflowId: reviewedId,
    nodeId: 'nope',
  })),
  absent('svc_control_workflow_runs', 'workflowRun', 'Workflow run', NOBODY, () => ({
    runIds: [NOBODY],
    action: 'pause',
  })),
  absent('svc_control_workflow_runs', 'action', 'Action', NOBODY, () => ({ actionIds: [NOBODY], action: 'stop' })),
  absent('svc_control_workflow_runs', 'workflowNode', 'Workflow node', 'nope', ({ runId }) => ({
    runIds: [runId],
    action: 'move',
    nodeId: 'nope',
  })),
  {
    tool: 'svc_control_workflow_runs',
    error: 'wrong state: e.g. retry of a run that is not failed',
    refused: async ({ acme, runId }) => {
      const input = { runIds: [runId], action: 'retry' };
      const { unchanged } = await acme.call<{ unchanged: { message: string }[] }>('svc_control_workflow_runs', input);
      return unchanged[0]?.message ?? '';
    },
    text: /^The run is waiting, not failed\. Call svc_get_workflow_run\.$/,
  },
];

const nodes: ErrorRow[] = [
  absent('svc_add_workflow_node', 'workflowNode', 'Workflow node', 'nope', ({ plainId }) => ({
    workflowId: plainId,
    nodeType: 'flow:join',
    afterNodeId: 'nope',
  })),
  ...['svc_update_workflow_node', 'svc_remove_workflow_node'].map((tool) =>
    absent(tool, 'workflowNode', 'Workflow node', 'nope', ({ plainId }) => ({ workflowId: plainId, nodeId: 'nope' })),
  ),
  row(
    'svc_add_workflow_node',
    REJECTED,
    ({ plainId }) => ({ workflowId: plainId, nodeType: 'network:teleport' }),
    GRAPH_TEXT,
  ),
  row(
    'svc_update_workflow_node',
    REJECTED,
    ({ plainId }) => ({ workflowId: plainId, nodeId: 'write', config: { channel: 'pigeon' } }),
    GRAPH_TEXT,
  ),
  row(
    'svc_remove_workflow_node',
    REJECTED,
    // The message uses the text that this node writes.
    ({ plainId }) => ({ workflowId: plainId, nodeId: 'write' }),
    GRAPH_TEXT,
  ),
  row(
    'svc_update_workflow_node',
    'wrong state: graphVersion moved on',
    ({ plainId }) => ({ workflowId: plainId, nodeId: 'send', label: 'Say', expectedGraphVersion: 9 }),
    /^The graph is at version 1, not 9\. Call svc_get_workflow\.$/,
  ),
];

const splits: ErrorRow[] = [
  ...['svc_get_split_results', 'svc_update_split_optimization'].map((tool) =>
    absent(tool, 'splitNode', 'Split node', 'send', ({ plainId }) => ({ workflowId: plainId, nodeId: 'send' })),
  ),
  row(
    'svc_update_split_optimization',
    'promotion asked below minExposuresPerArm',
    ({ plainId }) => ({ workflowId: plainId, nodeId: 'arm', promoteBranch: 'a' }),
    /^Promotion needs 50 matured exposures in each arm .* Call svc_get_split_results\.$/,
  ),
];

export const WORKFLOW_ERRORS: readonly ErrorRow[] = [...workflows, ...execution, ...nodes, ...splits];
