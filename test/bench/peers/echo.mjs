import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import Koa from 'koa';
import { z } from 'zod';

// The SDK's own server on Koa: sessions, one tool that gives back its text, no key, no limits, no database.
const productTools = process.env.TOOLS === 'product' ? (await import('../../../pkg/tools/registry.ts')).ALL_TOOLS : [];
const transports = new Map();

function newServer() {
  const server = new McpServer({ name: 'echo', version: '1.0.0' });
  server.registerTool(
    'echo',
    { description: 'Gives back its text.', inputSchema: { text: z.string() } },
    async ({ text }) => ({ content: [{ type: 'text', text }] }),
  );
  // All tools of the product instead, so that tools/list compares like with like; none of them is called.
  for (const { name, title, description, input } of productTools) {
    server.registerTool(name, { title, description, inputSchema: input.shape }, async () => ({ content: [] }));
  }
  return server;
}

const app = new Koa();
app.use(async (ctx) => {
  ctx.respond = false;
  const id = ctx.headers['mcp-session-id'];
  let transport = typeof id === 'string' ? transports.get(id) : undefined;
  if (!transport) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      enableJsonResponse: true,
      onsessioninitialized: (session) => void transports.set(session, transport),
    });
    await newServer().connect(transport);
  }
  await transport.handleRequest(ctx.req, ctx.res);
});
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ mcpUrl: `http://127.0.0.1:${server.address().port}/mcp` })}\n`);
});
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
