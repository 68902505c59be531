/** How one client is connected; `<key>` stands for an API key. */
export interface ClientConfig {
  /** Heading in the README. */
  client: string;
  /** Where the text belongs, or what it is. */
  where: string;
  language: 'json' | 'sh' | 'ts';
  text: (url: string) => string;
}

const json = (value: object): string => JSON.stringify(value, null, 2);
const bearer = { Authorization: 'Bearer <key>' };

/** The clients that the README shows. Tests start those that can be started with exactly these texts. */
export const CLIENT_CONFIGS: readonly ClientConfig[] = [
  {
    client: 'Claude Code',
    where: 'in a shell',
    language: 'sh',
    text: (url) => `claude mcp add --transport http outrider ${url} --header "Authorization: Bearer <key>"`,
  },
  {
    client: 'Claude Desktop',
    where: '`claude_desktop_config.json`; mcp-remote carries the key',
    language: 'json',
    text: (url) =>
      json({
        mcpServers: {
          outrider: {
            command: 'npx',
            args: ['-y', 'mcp-remote', url, '--header', 'Authorization:${OUTRIDER_AUTHORIZATION}'],
            env: { OUTRIDER_AUTHORIZATION: 'Bearer <key>' },
          },
        },
      }),
  },
  {
    client: 'Cursor',
    where: '`~/.cursor/mcp.json`; it sends 40 tools to a model, so narrow the list',
    language: 'json',
    text: (url) =>
      json({ mcpServers: { outrider: { url: `${url}?toolsets=campaigns,leads,workflows`, headers: bearer } } }),
  },
  {
    client: 'VS Code',
    where: '`.vscode/mcp.json`; it asks for the key once and takes at most 128 tools',
    language: 'json',
    text: (url) =>
      json({
        inputs: [{ type: 'promptString', id: 'outrider-key', description: 'Outrider API key', password: true }],
        servers: {
          outrider: {
            type: 'http',
            url: `${url}?toolsets=campaigns,leads,workflows,workflow_review,search_diagnostics`,
            headers: { Authorization: 'Bearer ${input:outrider-key}' },
          },
        },
      }),
  },
  {
    client: 'mcporter',
    where: '`mcporter.json`, then `npx mcporter call outrider.svc_whoami`',
    language: 'json',
    text: (url) => json({ mcpServers: { outrider: { baseUrl: url, headers: bearer } } }),
  },
  {
    client: 'MCP Inspector',
    where: 'in a shell',
    language: 'sh',
    text: (url) =>
      `npx @modelcontextprotocol/inspector --cli ${url} --header "Authorization: Bearer <key>" --method tools/call --tool-name svc_whoami`,
  },
  {
    client: 'SDK, sessions (`@modelcontextprotocol/sdk`)',
    where: 'in TypeScript',
    language: 'ts',
    text: (url) => `const client = new Client({ name: 'agency', version: '1.0.0' });
const requestInit = { headers: { Authorization: 'Bearer <key>' } };
await client.connect(new StreamableHTTPClientTransport(new URL('${url}'), { requestInit }));`,
  },
  {
    client: 'SDK, without sessions (`@modelcontextprotocol/client`)',
    where: 'in TypeScript',
    language: 'ts',
    text: (
      url,
    ) => `const client = new Client({ name: 'agency', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
const requestInit = { headers: { Authorization: 'Bearer <key>' } };
await client.connect(new StreamableHTTPClientTransport(new URL('${url}'), { requestInit }));`,
  },
  {
    client: 'Vercel AI SDK (`@ai-sdk/mcp`)',
    where: 'in TypeScript',
    language: 'ts',
    text: (url) => `const client = await createMCPClient({
  transport: { type: 'http', url: '${url}', headers: { Authorization: 'Bearer <key>' } },
});
const tools = await client.tools();`,
  },
  {
    client: 'OpenAI Agents SDK (`@openai/agents`)',
    where: 'in TypeScript',
    language: 'ts',
    text: (url) => `const server = new MCPServerStreamableHttp({
  name: 'outrider',
  url: '${url}',
  requestInit: { headers: { Authorization: 'Bearer <key>' } },
});
await server.connect();`,
  },
];
