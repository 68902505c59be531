import { NO_VOICE, type Voice } from '../../domain/craft/craft-order.ts';
import type { Tx } from '../../postgres/database.ts';

/** How a workspace sounds. Nothing keeps a voice yet: the playbook says all of it. */
export function readVoice(_tx: Tx, _workspaceId: string): Promise<Voice> {
  return Promise.resolve(NO_VOICE);
}
