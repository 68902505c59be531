import { type HttpAnswer, postTo } from '../fixtures/mcp/harness.ts';
import type { TestCluster } from './kube.ts';
import { type McpProcess, startMcpProcess } from './mcp-process.ts';
import { type RoundRobin, startRoundRobin } from './round-robin.ts';

/** Two MCP servers as people run them, behind a plain load balancer. */
export class McpReplicas {
  readonly balancer: RoundRobin;
  readonly #processes: McpProcess[] = [];
  readonly #cluster: TestCluster;
  readonly #env: Record<string, string>;

  private constructor(cluster: TestCluster, env: Record<string, string>, balancer: RoundRobin) {
    this.#cluster = cluster;
    this.#env = env;
    this.balancer = balancer;
  }

  /** @param env settings of both, for example DATABASE_URL and REDIS_URL */
  static async start(cluster: TestCluster, env: Record<string, string>): Promise<McpReplicas> {
    const made = new McpReplicas(cluster, env, await startRoundRobin([]));
    made.balancer.replicas.push(await made.#add(), await made.#add());
    return made;
  }

  /** The processes that serve now, oldest first. */
  get serving(): readonly McpProcess[] {
    return this.#processes.slice(-2);
  }

  /** Another one takes the place of the oldest, which is told to end. @returns the exit code of the old one */
  async replaceOldest(): Promise<number | null> {
    const [old] = this.serving;
    const oldPort = await portOf(old);
    const exit = new Promise<number | null>((resolve) => old?.child.once('exit', (code) => resolve(code)));
    const port = await this.#add();
    this.balancer.replicas.splice(this.balancer.replicas.indexOf(oldPort), 1, port);
    old?.child.kill('SIGTERM');
    return exit;
  }

  /** The session id of a new session. */
  async open(key: string): Promise<string> {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
    const answer = await postTo(this.balancer.url, key, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
    return answer.headers.get('mcp-session-id') ?? '';
  }

  call(key: string, session: string, name: string, input: object = {}): Promise<HttpAnswer> {
    return this.ask(key, session, 'tools/call', { name, arguments: input });
  }

  ask(key: string, session: string, method: string, params: object = {}): Promise<HttpAnswer> {
    const body = { jsonrpc: '2.0', id: 1, method, params };
    return postTo(this.balancer.url, key, body, { 'mcp-session-id': session });
  }

  async stop(): Promise<void> {
    for (const { child } of this.#processes) child.kill('SIGKILL');
    await this.balancer.close();
  }

  async #add(): Promise<number> {
    const replica = startMcpProcess(this.#cluster, this.#env);
    this.#processes.push(replica);
    return portOf(replica);
  }
}

async function portOf(replica: McpProcess | undefined): Promise<number> {
  return Number(new URL((await replica?.ready)?.mcpUrl ?? '').port);
}

/** What a tool said, or the whole answer where no tool did. */
export function textOf(answer: HttpAnswer): string {
  const result = answer.json.result as { content?: { text: string }[] } | undefined;
  return result?.content?.[0]?.text ?? answer.text;
}
