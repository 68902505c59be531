import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bundleEntries } from '../../../cmd/image/bundle.ts';
import { monotonicMs } from '../../../pkg/base/clock.ts';

const ROOT = new URL('../../../', import.meta.url).pathname;

/** As the chart starts it; FLAGS tries others. */
const FLAGS = (process.env['FLAGS'] ?? '--max-semi-space-size=4 --optimize-for-size').split(' ').filter(Boolean);

/** The operator's program as the image has it. @returns its file and how to remove it */
export async function bundledOperator(): Promise<{ entry: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'outrider-operator-'));
  await bundleEntries(ROOT, folder);
  await cp(join(ROOT, 'package.json'), join(folder, 'package.json'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  return { entry: join(folder, 'cmd/operator/main.mjs'), remove };
}

/** The real operator as a process of its own. */
export class OperatorProcess {
  /** Seconds from the start of the process until its caches were filled. */
  readonly syncSeconds: number;
  readonly #child: ChildProcess;
  readonly #metricsUrl: string;

  private constructor(child: ChildProcess, metricsUrl: string, syncSeconds: number) {
    this.#child = child;
    this.#metricsUrl = metricsUrl;
    this.syncSeconds = syncSeconds;
  }

  /** @param flags of node; default: those of the chart */
  static async start(entry: string, env: Record<string, string>, flags = FLAGS): Promise<OperatorProcess> {
    const started = monotonicMs();
    const child = spawn(process.execPath, [...flags, entry], {
      env: { METRICS_PORT: '0', EXECUTOR_IMAGE: 'none', OUTRIDER_PARENT_PIPE: '1', LOG_LEVEL: 'error', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [line] = await Promise.race([
      once(createInterface({ input: child.stdout }), 'line'),
      once(child, 'exit').then(([code]) => Promise.reject(new Error(`the operator ended with ${String(code)}`))),
    ]);
    const { metricsUrl } = JSON.parse(String(line)) as { metricsUrl: string };
    return new OperatorProcess(child, metricsUrl, (monotonicMs() - started) / 1_000);
  }

  /** Sum of the series of a metric whose labels match. */
  async metric(name: string, labels = /./): Promise<number> {
    const text = await (await fetch(this.#metricsUrl)).text();
    return text
      .split('\n')
      .filter((line) => (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) && labels.test(line))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  }

  /** Resident memory now, and the highest so far, in MB. */
  async memory(): Promise<{ now: number; peak: number }> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, 'utf8');
    const field = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1_024;
    return { now: field('VmRSS'), peak: field('VmHWM') };
  }

  async stop(): Promise<void> {
    this.#child.stdin?.end();
    if (this.#child.exitCode === null) await once(this.#child, 'exit');
  }
}
