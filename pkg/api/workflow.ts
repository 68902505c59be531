import { z } from 'zod';
import { IN_FLIGHT_MODES } from '../domain/vocabulary.ts';
import { celRules, count, DNS_LABEL, freeObject, HOLD_COLUMN, immutableRef, statusBase } from './fields.ts';
import type { Kind } from './kind.ts';

/** Errors of a graph that its status tells at most; `svc_validate_workflow` tells all. */
export const MAX_GRAPH_ERRORS = 5;

/** Atomic lists: edges point by position, so merging the lists of two managers would corrupt the graph. */
const ATOMIC = { 'x-kubernetes-list-type': 'atomic' };

const node = z
  .object({
    nodeId: z
      .string()
      .min(1)
      .max(63)
      .regex(new RegExp(DNS_LABEL))
      .optional()
      .describe('Unique in the graph and stable over edits; assigned when absent.'),
    nodeType: z.string().min(1).max(60).describe('For example network:message.'),
    label: z
      .string()
      .max(120)
      .default('')
      .describe('Name that people see; with the type it keeps the identity of a node. Absent: empty.'),
    config: freeObject('Settings of the node type. Absent: none.').default({}),
  })
  .describe('One step.');

const edge = z
  .object({
    sourceIndex: z.int().min(0).max(199).describe('Position of the source in nodes, from 0.'),
    targetIndex: z.int().min(0).max(199).describe('Position of the target in nodes, from 0.'),
    branch: z
      .string()
      .max(60)
      .optional()
      .describe('Outcome of the source that takes this edge; absent: its default outcome.'),
  })
  .describe('Which step follows on an outcome of another.');

const graph = z
  .object({
    nodes: z.array(node).min(1).max(200).meta(ATOMIC).describe('The steps; edges point at them by position.'),
    edges: z.array(edge).max(400).default([]).meta(ATOMIC).describe('Which step follows on which outcome.'),
  })
  .describe('What happens to a lead, step by step.')
  .meta(
    celRules({
      rule: '!has(self.edges) || self.edges.all(e, e.sourceIndex < size(self.nodes) && e.targetIndex < size(self.nodes))',
      message: 'every edge must point at positions in nodes',
      reason: 'FieldValueInvalid',
    }),
  );

const accountIds = (what: string) =>
  z
    .array(z.string().min(1).max(64).describe('Id of an account.'))
    .max(50)
    .default([])
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe(`${what}; empty: all healthy ones linked to the workspace.`);

export const workflowSpec = z
  .object({
    campaignRef: immutableRef('campaignRef', 'The campaign that the workflow belongs to.'),
    name: z.string().min(1).max(120).describe('Name that people see.'),
    enabled: z.boolean().default(false).describe('False stops new actions at once and keeps every place.'),
    networkAccountIds: accountIds('Network accounts that send'),
    providerAccountIds: accountIds('Mail and calendar accounts that act'),
    inFlight: z
      .enum(IN_FLIGHT_MODES)
      .default(IN_FLIGHT_MODES[0])
      .describe('What becomes of leads under way when the graph is replaced.'),
    graph,
  })
  .describe('What should be: which steps the leads of a campaign walk through, and whether they do.');

const runs = z
  .object({
    queued: count('Not yet looked at.'),
    waiting: count('Waiting for a time, a reply or an acceptance.'),
    in_review: count('Waiting for a person.'),
    blocked: count('Cannot go on without help.'),
    paused: count('Paused by a person.'),
    replied: count('Stopped by a reply.'),
    completed: count('At the end.'),
    stopped: count('Stopped by a person.'),
    suppressed: count('Stopped by suppression.'),
    failed: count('Failed.'),
  })
  .optional()
  .describe('Leads by state of their run; a state without leads is absent.');

export const workflowStatus = z
  .object({
    ...statusBase,
    graphErrors: z
      .array(z.string().max(500).describe('One sentence, with the position of the node or edge.'))
      .max(MAX_GRAPH_ERRORS)
      .optional()
      .meta(ATOMIC)
      .describe('Why the graph of the spec is not in force, the first of the errors; absent: it is.'),
    nodeCount: count('Nodes, the hidden entry included.'),
    graphVersion: count('Version of the graph in force; 0: none yet.'),
    runs,
  })
  .describe('What is: kept by the operator.');

/** A graph of steps. `kubectl get owf`, or `workflows.outrider.dev` where Argo is installed too. */
export const WORKFLOW: Kind = {
  kind: 'Workflow',
  plural: 'workflows',
  singular: 'workflow',
  shortNames: ['owf'],
  description: 'A workflow is a graph of steps that the leads of a campaign walk through.',
  spec: workflowSpec,
  status: workflowStatus,
  selectableFields: ['.spec.campaignRef.name', '.spec.enabled'],
  columns: [
    {
      name: 'Ready',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].status',
      description: 'Whether it can be used.',
    },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason', description: 'Why.' },
    { name: 'Enabled', type: 'boolean', jsonPath: '.spec.enabled', description: 'Whether it acts.' },
    HOLD_COLUMN,
    { name: 'Campaign', type: 'string', jsonPath: '.spec.campaignRef.name', description: 'Campaign.' },
    { name: 'Name', type: 'string', jsonPath: '.spec.name', description: 'Name that people see.', priority: 1 },
    {
      name: 'Nodes',
      type: 'integer',
      jsonPath: '.status.nodeCount',
      description: 'Nodes with the hidden entry.',
      priority: 1,
    },
    { name: 'Graph', type: 'integer', jsonPath: '.status.graphVersion', description: 'Graph version.', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'Age.' },
  ],
};
