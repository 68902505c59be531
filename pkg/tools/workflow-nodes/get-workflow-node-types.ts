import { z } from 'zod';
import { EXAMPLE_GRAPH } from '../../nodes/example-graph.ts';
import { GRAPH_SHAPE, NODE_TYPES_VERSION, type NodeTypeEntry, nodeVocabulary } from '../../nodes/vocabulary.ts';
import { detailParam, telling } from '../compact.ts';
import { invalidInput } from '../errors.ts';
import { tool } from '../tool.ts';

const NODE_TYPES = nodeVocabulary();
const NAMES = NODE_TYPES.map(({ nodeType }) => nodeType);

/** Frozen: the same answer every time, whose JSON is made once. */
const VOCABULARY = Object.freeze({
  nodeTypes: NODE_TYPES,
  graphShape: { ...GRAPH_SHAPE },
  exampleGraph: { ...EXAMPLE_GRAPH },
  version: NODE_TYPES_VERSION,
});
/** What a graph is planned by. The hints of the types that are taken come by `nodeTypes`. */
const COMPACT = Object.freeze({ ...VOCABULARY, nodeTypes: NODE_TYPES.map(compact) });

/** Without what is empty; an outcome that is the only one goes without saying. */
function compact({ nodeType, what, outcomes, billable }: NodeTypeEntry) {
  const shown = outcomes.length === 1 && outcomes[0] === 'next' ? [] : outcomes;
  return { nodeType, what, ...telling({ outcomes: shown, billable }) };
}

export const getWorkflowNodeTypes = tool({
  name: 'svc_get_workflow_node_types',
  domain: 'Workflow Nodes',
  title: 'Get node vocabulary',
  description:
    'Returns the authoritative, versioned node types with outcomes, the graph shape and an example; name the types that you use (nodeTypes) for their config hints before writing a graph or when one is rejected. Next: svc_create_workflow.',
  example: { input: {} },
  scope: 'workflows:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'none',
  input: z.strictObject({
    nodeTypes: z
      .array(z.string().min(1).max(60))
      .min(1)
      .max(100)
      .optional()
      .describe('Only these, with all that is known of them.'),
    ...detailParam,
  }),
  output: z.object({
    nodeTypes: z.array(
      z.object({
        nodeType: z.string(),
        what: z.string(),
        configHint: z.record(z.string(), z.unknown()).optional().describe('Of types that are asked for.'),
        outcomes: z.array(z.string()).optional().describe('compact: absent where it is next alone.'),
        defaultOutcome: z.string().nullable().optional(),
        budget: z.string().nullable().optional(),
        billable: z.string().nullable().optional(),
        reviewable: z.boolean().optional(),
      }),
    ),
    graphShape: z.record(z.string(), z.unknown()),
    exampleGraph: z.record(z.string(), z.unknown()),
    version: z.string(),
  }),
  async run(_ctx, { nodeTypes, detail }) {
    if (nodeTypes === undefined) return detail === 'full' ? VOCABULARY : COMPACT;
    const asked = nodeTypes.map((name) => name.trim().toLowerCase());
    const unknown = asked.filter((name) => !NAMES.includes(name));
    if (unknown.length > 0)
      throw invalidInput('nodeTypes', `there is no ${unknown.join(', ')}; there are ${NAMES.join(', ')}`);
    return { ...VOCABULARY, nodeTypes: NODE_TYPES.filter(({ nodeType }) => asked.includes(nodeType)) };
  },
});
