import { z } from 'zod';
import { splitSettings } from '../../domain/split-settings.ts';
import { readSplits } from '../../store/runs/splits.ts';
import { tool } from '../tool.ts';
import { requireWorkflow } from '../workflows/workflow-row.ts';
import { splitNodes } from './split-nodes.ts';
import { splitResult, splitResultOf } from './split-result.ts';

export const getSplitResults = tool({
  name: 'svc_get_split_results',
  domain: 'Split Optimization',
  title: 'Get split results',
  description:
    "Reads each split's arms: exposures, matured outcomes, rate with 95 % credible interval, chance to be best, weights and whether it may be called. Next: svc_update_split_optimization.",
  example: { input: { workflowId: '$workflowId' } },
  scope: 'workflows:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    workflowId: z.string().min(1),
    nodeId: z.string().min(1).optional().describe('Default: every split.'),
  }),
  output: z.object({ splits: z.array(splitResult) }),
  async run(ctx, input) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const workflow = await requireWorkflow(tx, input.workflowId);
      const nodes = await splitNodes(tx, workflow, input.nodeId);
      const controls = await readSplits(tx, workflow.workspace_id, [workflow.id]);
      const splits: z.input<typeof splitResult>[] = [];
      for (const { nodeId, config, silent } of nodes) {
        const control = controls.find((row) => row.nodeId === nodeId) ?? null;
        const about = { workspaceId: workflow.workspace_id, workflowId: workflow.id, nodeId, now, silent };
        splits.push(await splitResultOf(tx, about, config, splitSettings(config, control)));
      }
      return { splits };
    });
  },
});
