import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { UserError } from '../../pkg/base/errors.ts';
import { connection } from './home-client.ts';

interface TextResult {
  content?: { type: string; text?: string }[];
  isError?: boolean;
}

/**
 * Calls one tool as any MCP client would. OUTRIDER_URL and OUTRIDER_KEY win over the data folder's connection.
 * @returns the tool's JSON
 * @throws UserError with the tool's own text when it refuses
 */
export async function callTool(name: string, input: Record<string, unknown>): Promise<unknown> {
  const { url, key } = await target();
  const client = new Client({ name: 'outrider-cli', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  await client.connect(transport);
  try {
    const result = (await client.callTool({ name, arguments: input })) as TextResult;
    const text = result.content?.[0]?.text ?? '';
    if (result.isError) throw new UserError(text);
    return JSON.parse(text);
  } finally {
    await client.close();
  }
}

async function target(): Promise<{ url: string; key: string }> {
  const url = process.env['OUTRIDER_URL'];
  const key = process.env['OUTRIDER_KEY'];
  if (url && key) return { url, key };
  const found = await connection();
  return { url: url ?? found.mcpUrl, key: key ?? found.userKey };
}
