import { upToDate } from '../admit-call.ts';
import type { Authenticated } from '../authentication.ts';
import type { MessageServices } from '../handle-message.ts';
import type { McpExchange } from '../mcp-app.ts';
import type { RpcMessage } from '../rpc.ts';

/** A request without a session, whose key is known. */
export interface StatelessExchange extends McpExchange {
  authenticated: Authenticated;
  message: RpcMessage;
}

/** Who calls, by what is true now; calls learn it from their admission. @throws HttpError 401 */
export async function currentCaller(services: MessageServices, authenticated: Authenticated): Promise<Authenticated> {
  if (authenticated.hash === null) return authenticated;
  const { keyId } = authenticated.caller;
  const now = await services.limiter.standing({ keyId, sessionHash: null });
  return upToDate(services, authenticated, now.version);
}
