import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '../../pkg/standalone/free-port.ts';
import { debianProgram } from './debian-packages.ts';
import { eventually } from './kube.ts';

/** A label set and its value, as Prometheus answers an instant query. */
export interface Sample {
  metric: Record<string, string>;
  value: [number, string];
}

/** A Prometheus of one test. */
export interface TestPrometheus {
  query(expr: string): Promise<Sample[]>;
  /** Names of the alerts that fire now; of a burn rate with its long window: `<name>/<window>`. */
  firing(): Promise<Set<string>>;
  /** Targets that were scraped, by their component, and how it went. */
  targets(): Promise<{ component: string; health: string }[]>;
  stop(): Promise<void>;
}

/** What Debian's package brings: the server and promtool. Undefined where there is none to be had. */
export async function prometheusPrograms(): Promise<{ prometheus: string; promtool: string } | undefined> {
  const program = await debianProgram('prometheus');
  if (!program) {
    console.log(
      '      Prometheus is not to be had here: install Debian’s package `prometheus`, or apt-get with a mirror.',
    );
    return undefined;
  }
  const promtool = join(dirname(program.path), 'promtool');
  const there = await access(promtool).then(
    () => true,
    () => false,
  );
  return there ? { prometheus: program.path, promtool } : undefined;
}

/** Runs promtool. @returns what it printed, and whether it was content */
export function promtool(program: string, args: string[], input = ''): Promise<{ ok: boolean; text: string }> {
  return new Promise((resolve) => {
    const child = execFile(program, args, { timeout: 60_000, maxBuffer: 16 * 1_024 * 1_024 }, (error, out, err) =>
      resolve({ ok: error === null, text: out + err }),
    );
    child.stdin?.end(input);
  });
}

/** Starts Prometheus on a free port. @param config text of prometheus.yml */
export async function startPrometheus(program: string, config: string): Promise<TestPrometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'outrider-prometheus-'));
  await writeFile(join(folder, 'prometheus.yml'), config);
  const port = await freePort();
  const server = spawn(
    program,
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let words = '';
  server.stderr?.on('data', (chunk: Buffer) => {
    words = (words + chunk.toString()).slice(-4_000);
  });
  const base = `http://127.0.0.1:${port}`;
  const get = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`${base}${path}`, { signal: AbortSignal.timeout(10_000) });
    const body = (await answer.json()) as { status: string; error?: string; data: T };
    if (body.status !== 'success') throw new Error(`${path}: ${body.error}`);
    return body.data;
  };
  await eventually('Prometheus is ready', async () => {
    if (server.exitCode !== null) throw new Error(`Prometheus ended: ${words}`);
    return (await fetch(`${base}/-/ready`).catch(() => undefined))?.ok;
  });
  return {
    query: async (expr) => (await get<{ result: Sample[] }>(`/api/v1/query?query=${encodeURIComponent(expr)}`)).result,
    firing: async () => {
      const { alerts } = await get<{ alerts: { state: string; labels: Record<string, string> }[] }>('/api/v1/alerts');
      const firing = alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels);
      return new Set(firing.map(({ alertname = '', long }) => (long ? `${alertname}/${long}` : alertname)));
    },
    targets: async () => {
      const { activeTargets } = await get<{ activeTargets: { labels: Record<string, string>; health: string }[] }>(
        '/api/v1/targets?state=active',
      );
      return activeTargets.map(({ labels, health }) => ({ component: labels['component'] ?? '', health }));
    },
    stop: async () => {
      await ended(server);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exit = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGKILL');
  await exit;
}
