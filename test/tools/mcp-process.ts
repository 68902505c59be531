import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { TestCluster } from './kube.ts';

const ENTRY = new URL('../../cmd/mcp-server/main.ts', import.meta.url).pathname;

/** The line that the server prints once it listens. */
export interface Ready {
  ready: boolean;
  mcpUrl: string;
  metricsUrl: string;
  internalUrl: string;
  ingressUrl: string;
}

/** The MCP server as the process that people run. */
export interface McpProcess {
  child: ChildProcess;
  ready: Promise<Ready>;
  /** What it wrote so far, by line or chunk. */
  output: string[];
}

/** Starts `cmd/mcp-server` on free ports against a test's database and Kubernetes API; ends with its standard input. */
export function startMcpProcess(cluster: TestCluster, env: Record<string, string> = {}): McpProcess {
  const child = spawn(process.execPath, [ENTRY], {
    env: {
      PORT: '0',
      METRICS_PORT: '0',
      INTERNAL_PORT: '0',
      INGRESS_PORT: '0',
      DATABASE_URL: cluster.databaseUrl,
      KUBECONFIG_PATH: cluster.api.kubeconfigPath,
      SESSION_SECRET: 'session-secret-of-tests',
      CURSOR_SECRET: 'cursor-secret-of-tests',
      RUNNER_SECRET: 'runner-secret-of-tests',
      OUTRIDER_PARENT_PIPE: '1',
      LOG_LEVEL: 'info',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  const ready = new Promise<Ready>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      output.push(line);
      if (line.includes('"ready":true')) resolve(JSON.parse(line) as Ready);
    });
  });
  return { child, ready, output };
}
