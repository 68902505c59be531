import { hashFloat } from './random.ts';

/** One branch of a split; weights are relative, not percentages. */
export interface SplitBranch {
  name: string;
  weight: number;
}

/**
 * The arm of a lead: the same for every retry, restart and executor, because it is a hash of workflow, node and lead.
 * A branch of weight 0 gets nobody. Source: outreach anchors 3.10.
 */
export function pickArm(branches: readonly SplitBranch[], leadId: string, nodeId: string, workflowId: string): string {
  const total = branches.reduce((sum, branch) => sum + branch.weight, 0);
  let left = hashFloat('split', workflowId, nodeId, leadId) * total;
  let last = branches[0]?.name ?? '';
  for (const branch of branches) {
    if (branch.weight <= 0) continue;
    last = branch.name;
    left -= branch.weight;
    if (left < 0) return branch.name;
  }
  return last;
}
