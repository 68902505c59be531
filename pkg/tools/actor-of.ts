import type { ToolContext } from './tool-context.ts';

/** Who acts, as histories and records tell it: an address, or the beginning of a key. */
export function actorOf({ caller }: Pick<ToolContext, 'caller'>): string {
  return caller.user?.email ?? caller.keyPrefix;
}
