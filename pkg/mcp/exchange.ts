import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authenticated } from './authentication.ts';

/** A request to /mcp; its transport writes the answer. */
export interface McpExchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** In the answer's x-request-id and in the log. */
  requestId: string;
}

/** A request whose key is known. */
export interface Exchange extends McpExchange {
  authenticated: Authenticated;
}
