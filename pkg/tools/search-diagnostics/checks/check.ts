import { z } from 'zod';
import type { Tx } from '../../../postgres/database.ts';
import type { CheckName } from './check-names.ts';

/** Catalog record DiagnosticCheck. */
export const diagnosticCheck = z.object({
  check: z.string(),
  ok: z.boolean(),
  detail: z.string(),
  nextTool: z.string().nullable(),
});
export type Check = z.input<typeof diagnosticCheck>;

/** What a check may read. */
export interface CheckContext {
  tx: Tx;
  workspaceId: string;
  targetId: string;
  /** Epoch ms UTC, product time. */
  now: number;
  /** Whether this installation can reach a provider of network accounts. */
  isConfigured: (provider: string) => boolean;
  /** Channels whose freezes count, '' for those of all; absent: every freeze does. */
  channels?: readonly string[];
}

/** A passed check. */
export function pass(check: CheckName | `waiting_${string}`, detail: string): Check {
  return { check, ok: true, detail, nextTool: null };
}

/** A blocker and the tool that fixes it. */
export function fail(check: CheckName, detail: string, nextTool: string): Check {
  return { check, ok: false, detail, nextTool };
}
