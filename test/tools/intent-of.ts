import { randomUUID } from 'node:crypto';
import type { IntentKey } from '../../pkg/tools/idempotency/intent-key.ts';

/** Under what a test makes an object by itself: a key of its own unless one is given, and what the input says. */
export function intentOf(workspaceId: string, key: string = randomUUID(), inputHash = ''): IntentKey {
  const call = { tool: 'test', key, natural: false, keepSeconds: 600, inputHash };
  return { workspaceId, call, part: null };
}
