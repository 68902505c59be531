import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import Koa from 'koa';
import { z } from 'zod';

// The SDK's own server on Koa: sessions, one tool that gives back its text, no key, no limits, no database.
const transports = new Map();

function newServer() {
  const server = new McpServer({ name: 'echo', version: '1.0.0' });
  server.registerTool(
    'echo',
    { description: 'Gives back its text.', inputSchema: { text: z.string() } },
    async ({ text }) => ({ content: [{ type: 'text', text }] }),
  );
  // As many tools as the product has, so that tools/list compares like with like.
  for (let i = 1; i < Number(process.env.TOOLS ?? 1); i++) {
    const inputSchema = {
      workspaceId: z.string().optional(),
      id: z.string().min(1),
      limit: z.number().int().min(1).max(100).default(50),
    };
    server.registerTool(`tool_${i}`, { description: 'One of many tools.', inputSchema }, async () => ({ content: [] }));
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
