import { z } from 'zod';
import { EXAMPLE_GRAPH } from '../../nodes/example-graph.ts';
import { GRAPH_SHAPE, NODE_TYPES_VERSION, nodeVocabulary } from '../../nodes/vocabulary.ts';
import { tool } from '../tool.ts';

/** Frozen: the same answer every time, whose JSON is made once. */
const VOCABULARY = Object.freeze({
  nodeTypes: nodeVocabulary(),
  graphShape: { ...GRAPH_SHAPE },
  exampleGraph: { ...EXAMPLE_GRAPH },
  version: NODE_TYPES_VERSION,
});

export const getWorkflowNodeTypes = tool({
  name: 'svc_get_workflow_node_types',
  domain: 'Workflow Nodes',
  title: 'Get node vocabulary',
  description:
    'Returns the authoritative, versioned node types with config hints and outcomes, the graph shape and an example; call it before writing a graph or when one is rejected. Next: svc_create_workflow.',
  example: { input: {} },
  scope: 'workflows:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'none',
  input: z.strictObject({}),
  output: z.object({
    nodeTypes: z.array(
      z.object({
        nodeType: z.string(),
        what: z.string(),
        configHint: z.record(z.string(), z.unknown()),
        outcomes: z.array(z.string()),
        defaultOutcome: z.string().nullable(),
        budget: z.string().nullable(),
        billable: z.string().nullable(),
        reviewable: z.boolean(),
      }),
    ),
    graphShape: z.record(z.string(), z.unknown()),
    exampleGraph: z.record(z.string(), z.unknown()),
    version: z.string(),
  }),
  async run() {
    return VOCABULARY;
  },
});
