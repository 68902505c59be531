import type { CallKey } from './call-key.ts';

/** Which write an intent belongs to. */
export interface IntentKey {
  workspaceId: string;
  call: CallKey;
  /** Which of several objects of one call; null: its first. */
  part: string | null;
}
