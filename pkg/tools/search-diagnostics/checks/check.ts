import { z } from 'zod';
import type { Tx } from '../../../postgres/database.ts';
import type { CheckName, WaitName } from './check-names.ts';

/** Catalog record DiagnosticCheck. */
export const diagnosticCheck = z.object({
  check: z.string(),
  ok: z.boolean(),
  detail: z.string(),
  nextTool: z.string().nullable(),
  nextInput: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('Arguments of nextTool as far as they are known; what only the caller knows is left out.'),
});

/** A check as it is made; `waits`: it passes, and tells what is waited for. */
export type Check = z.input<typeof diagnosticCheck> & { waits?: true };

/** Arguments of a tool, as far as a check knows them. */
export type NextInput = Readonly<Record<string, unknown>>;

/** What keeps something from going on, and the tool that ends it with its arguments. */
export interface Cause {
  text: string;
  tool: string;
  input: NextInput;
}

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
export function pass(check: CheckName | WaitName, detail: string): Check {
  return { check, ok: true, detail, nextTool: null, nextInput: null };
}

/** A passed check that tells what is waited for, and until when: no fault, and nothing to do. */
export function waits(check: CheckName | WaitName, detail: string): Check {
  return { ...pass(check, detail), waits: true };
}

/** A blocker, the tool that fixes it, and the arguments that are known here. */
export function fail(check: CheckName, detail: string, nextTool: string, nextInput: NextInput = {}): Check {
  return { check, ok: false, detail, nextTool, nextInput: { ...nextInput } };
}

/** One check that stands for several: the first of them that fails. */
export function firstOf(name: CheckName, checks: readonly Check[], good: string): Check {
  const failed = checks.find((check) => !check.ok);
  if (failed) return fail(name, failed.detail, failed.nextTool ?? '', failed.nextInput ?? {});
  const waiting = checks.find((check) => check.waits);
  return waiting ? pass(name, waiting.detail) : pass(name, good);
}
