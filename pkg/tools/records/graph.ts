import { z } from 'zod';

/** Graph parameter of the workflow tools. Source: catalog `graphShape`. */
export const graphParam = z
  .strictObject({
    nodes: z
      .array(
        z.strictObject({
          nodeId: z.string().min(1).max(63).optional().describe('DNS label, unique in the graph; absent = assigned.'),
          nodeType: z.string().min(1),
          label: z.string().max(120).optional(),
          config: z.record(z.string(), z.json()).optional(),
        }),
      )
      .min(1)
      .max(200)
      .optional(),
    edges: z
      .array(
        z.strictObject({
          sourceIndex: z.int().min(0),
          targetIndex: z.int().min(0),
          // Null as svc_get_workflow shows it, so that what was read can be written.
          branch: z
            .string()
            .nullish()
            .transform((branch) => branch ?? undefined)
            .describe(
              'Outcome of the source node this edge takes; omit for its default outcome. Extension of the specification.',
            ),
        }),
      )
      .max(400)
      .optional(),
  })
  .describe('Nodes and edges; vocabulary and config shapes come from svc_get_workflow_node_types.');

export type GraphParam = z.output<typeof graphParam>;

/** Catalog record GraphProblem. */
export const graphProblem = z.object({
  nodeIndex: z.number().nullable(),
  edgeIndex: z.number().nullable(),
  code: z.string(),
  message: z.string(),
});
