import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { SystemClock } from '../../pkg/base/clock.ts';
import { type Reach, reached } from './reach.ts';

/** A tool as an MCP client calls it: where the server is, with whose key. */
export interface ToolCall {
  server: Reach;
  key: string;
  name: string;
  input: object;
}

/**
 * Calls a tool. The key's limits per minute count here too: a refusal says when to come back, which is done, three times
 * at most. A server that can't be reached is tried again; a call that was under way is not.
 * @returns the tool's result @throws with the tool's refusal
 */
export async function callTool(call: ToolCall): Promise<unknown> {
  for (let tries = 1; ; tries++) {
    try {
      return await call.server.use((port) => callOnce(call, port));
    } catch (error) {
      const seconds = /Rate limit exceeded.*Retry after (\d+)s/.exec(String(error))?.[1];
      if (seconds === undefined || tries > 3) throw error;
      await new SystemClock().sleep(Number(seconds) * 1_000);
    }
  }
}

async function callOnce({ key, name, input }: ToolCall, port: number): Promise<unknown> {
  const client = new Client({ name: 'outrider-e2e', version: '1.0.0' });
  const headers = { authorization: `Bearer ${key}` };
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  await reached(client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } })));
  try {
    const result = (await client.callTool({ name, arguments: { ...input } })) as {
      content: { text: string }[];
      isError?: boolean;
    };
    const text = result.content[0]?.text ?? '';
    if (result.isError) throw new Error(text);
    return JSON.parse(text);
  } finally {
    await client.close();
  }
}
