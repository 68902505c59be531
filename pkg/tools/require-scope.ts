import { UserError } from '../base/errors.ts';
import type { ToolContext } from './tool-context.ts';

/**
 * Asks for a scope beyond the tool's own, for a part of what it does.
 * @param what that part, behind "to": `follow reply.received`
 * @throws UserError that names the scope
 */
export function requireScope({ caller }: Pick<ToolContext, 'caller'>, scope: string, what: string): void {
  if (caller.scopes.has(scope)) return;
  throw new UserError(`Scope ${scope} is required to ${what}. Call svc_whoami to see the scopes of this key.`, 'Scope');
}
