import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

interface TextResult {
  content?: { type: string; text?: string }[];
  isError?: boolean;
}

/** How the demo reaches the MCP server: as an internal caller, whom the specification exempts from the limits. */
export interface DemoTarget {
  mcpUrl: string;
  runnerSecret: string;
  workspaceId: string;
  userId: string;
}

/** A real MCP client (the official SDK's) with typed calls. */
export class DemoClient {
  readonly #client: Client;
  readonly #workspaceId: string;

  private constructor(client: Client, workspaceId: string) {
    this.#client = client;
    this.#workspaceId = workspaceId;
  }

  static connect({ mcpUrl, runnerSecret, workspaceId, userId }: DemoTarget): Promise<DemoClient> {
    const headers = { 'x-runner-secret': runnerSecret, 'x-workspace-id': workspaceId, 'x-user-id': userId };
    return DemoClient.#open(mcpUrl, headers, workspaceId);
  }

  /** As the caller who has the key: the first workspace of a home is still to be made, and without one nobody is an internal caller. */
  static withKey(mcpUrl: string, key: string): Promise<DemoClient> {
    return DemoClient.#open(mcpUrl, { authorization: `Bearer ${key}` }, '');
  }

  static async #open(mcpUrl: string, headers: Record<string, string>, workspaceId: string): Promise<DemoClient> {
    const client = new Client({ name: 'outrider-demo', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl), { requestInit: { headers } }));
    return new DemoClient(client, workspaceId);
  }

  /** Calls a tool. @throws Error with the tool's text when it refuses */
  async call<T>(name: string, input: Record<string, unknown> = {}): Promise<T> {
    const result = (await this.#client.callTool({ name, arguments: input }, undefined, {
      timeout: 60_000,
    })) as TextResult;
    const text = result.content?.[0]?.text ?? '';
    if (result.isError) throw new Error(`${name}: ${text}`);
    return JSON.parse(text) as T;
  }

  /** As `call`, for tools that take the workspace. */
  inWorkspace<T>(name: string, input: Record<string, unknown> = {}): Promise<T> {
    return this.call<T>(name, { workspaceId: this.#workspaceId, ...input });
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}
