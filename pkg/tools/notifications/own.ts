import type { ToolContext } from '../tool-context.ts';

/** Whose notifications a caller sees: a person their own, a workspace's key those of all members (null). */
export function ownUser(ctx: ToolContext): string | null {
  return ctx.caller.user?.id ?? null;
}
