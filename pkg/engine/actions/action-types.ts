import { ACTIONS, BUDGET_ACTIONS } from '../../domain/actions.ts';
import type { EffectNode } from '../../nodes/node-type.ts';
import { NODE_TYPES } from '../../nodes/registry.ts';

/** Actions that can be done without a run, with the node types whose words their outcomes take. */
export const ACTION_TYPES: ReadonlyMap<string, EffectNode<never>> = new Map(
  BUDGET_ACTIONS.flatMap((action) => {
    const { nodeType } = ACTIONS[action];
    const type = nodeType === null ? undefined : NODE_TYPES.get(nodeType);
    return type?.kind === 'effect' ? [[action, type] as const] : [];
  }),
);
