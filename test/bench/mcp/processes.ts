import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A server in a process of its own. */
export interface ServerProcess {
  mcpUrl: string;
  metricsUrl: string;
  pid: number;
  stop(): Promise<void>;
}

/** Of the server's node, as the chart sets them; others to try them out. */
const FLAGS = (process.env['BENCH_NODE_OPTIONS'] ?? '--max-semi-space-size=4').split(' ').filter(Boolean);
const ROOT = new URL('../../../', import.meta.url).pathname;

/** Starts a program that says where it listens in its first line of JSON, and ends with its standard input. */
export async function startServer(program: string, env: Record<string, string>): Promise<ServerProcess> {
  const options = program.startsWith('cmd/') ? FLAGS : [];
  const child = spawn(process.execPath, [...options, `${ROOT}${program}`], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const said = await firstAnswer(child, program);
  return { ...said, pid: child.pid ?? 0, stop: () => ended(child) };
}

function firstAnswer(child: ChildProcess, program: string): Promise<{ mcpUrl: string; metricsUrl: string }> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}`)));
    if (child.stdout)
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (line.includes('"mcpUrl"')) resolve(JSON.parse(line));
      });
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.stdin?.end();
  await exit;
}
