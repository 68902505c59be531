import type { CorsPolicy } from '../base/http/cors.ts';

/** What a client of MCP in a page sends and reads: that of both eras, of narrowing, and of our refusals. */
export const MCP_PAGES: CorsPolicy = {
  methods: ['POST', 'GET', 'DELETE', 'HEAD', 'OPTIONS'],
  headers: ['authorization', 'content-type', 'accept', 'last-event-id', 'traceparent', 'tracestate', 'baggage'],
  families: ['mcp-', 'x-mcp-'],
  exposed: ['mcp-session-id', 'mcp-protocol-version', 'www-authenticate', 'retry-after', 'x-request-id'],
};
