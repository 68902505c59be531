import type { EffectWords } from '../../nodes/node-type.ts';

/** Outcomes of a mail that tells an attendee of a meeting. */
export const INVITATION_EFFECT: EffectWords = {
  channel: 'mail',
  confirmedOutcome: 'sent',
  refusedOutcome: () => 'failed',
};
