import type { EffectWords } from '../../nodes/node-type.ts';

/** Outcomes of the parts of a post; they are the codes of its failures. */
export const POST_EFFECT: EffectWords = {
  channel: 'post',
  confirmedOutcome: 'published',
  refusedOutcome: (kind) =>
    kind === 'duplicate' ? 'duplicate_post' : kind === 'unsupported' ? 'unsupported' : 'rejected',
};
