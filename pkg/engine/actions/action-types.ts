import { ACTIONS, BUDGET_ACTIONS } from '../../domain/actions.ts';
import type { EffectWords } from '../../nodes/node-type.ts';
import { NODE_TYPES } from '../../nodes/registry.ts';
import { INVITATION_EFFECT } from '../calendar/invitation-effect.ts';
import { POST_EFFECT } from '../content/post-effect.ts';

/** Actions that can be done without a run, with the words of their outcomes: those of their node types, of posts, of invitations. */
export const ACTION_TYPES: ReadonlyMap<string, EffectWords> = new Map<string, EffectWords>([
  ...BUDGET_ACTIONS.flatMap((action) => {
    const { nodeType } = ACTIONS[action];
    const type = nodeType === null ? undefined : NODE_TYPES.get(nodeType);
    return type?.kind === 'effect' ? [[action, type] as const] : [];
  }),
  ['post', POST_EFFECT],
  ['invitation', INVITATION_EFFECT],
]);
