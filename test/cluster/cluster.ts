import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { sleepReal } from '../../pkg/base/clock.ts';
import { freePort } from '../../pkg/standalone/free-port.ts';
import { helm3, kubernetesTools } from '../tools/kubectl.ts';
import { eventually, stretched } from './patient.ts';
import type { Forward } from './reach.ts';
import { background, type ShellOptions, shell } from './shell.ts';

/** Go is often installed where no PATH leads. */
const PATH = `${process.env['PATH'] ?? ''}:/usr/local/go/bin`;
const HERE = new URL('./', import.meta.url).pathname;
/** A cold build compiles Kubernetes: about nine minutes on two cores. */
const BUILD_SECONDS = 1_500;

/** A real Kubernetes for one run of the suite. */
export interface Cluster {
  /** How it came about, for the first line of the report. */
  how: string;
  /** Made by the suite itself of real binaries: only then nodes are drained and servers restarted. */
  own: boolean;
  kubectl(args: readonly string[], options?: ShellOptions): Promise<string>;
  /** Helm 4, or the 3 that many still have. */
  helm(args: readonly string[], options?: ShellOptions & { major?: 3 | 4 }): Promise<string>;
  /** Makes an image archive known to the nodes. */
  loadImage(file: string): Promise<void>;
  /** Address on this machine of a port of a Service or Pod. */
  forward(namespace: string, target: string, port: number): Promise<Forward>;
  /** Port on this machine where the API server answers without credentials, until the cluster is stopped. */
  proxy(): Promise<number>;
  /** Calls back for each line that kubectl prints until it is stopped. @returns how to stop it */
  follow(args: readonly string[], line: (text: string) => void): () => void;
  /** Kills a part of the control plane or node (`kill -9`), or starts it again; only where `own`. */
  component(name: string, verb: 'kill' | 'start'): Promise<void>;
  /** Runs a program inside the node; only where `own`. */
  node(command: readonly string[]): Promise<string>;
  /** Runs a line as a person at a terminal who has kubectl, helm and this cluster as KUBECONFIG; only where `own`. */
  terminal(line: string, options?: ShellOptions): Promise<string>;
  stop(): Promise<void>;
}

/** Real ms until what kubectl followed is followed again. */
const FOLLOW_AGAIN_MS = 100;

/**
 * The cluster of this run: the one that E2E_KUBECONFIG and E2E_CONTEXT name, else kind where a Docker engine answers,
 * else real binaries in namespaces of their own. A KUBECONFIG of the environment is never used.
 * @throws a sentence that says what to install when none of the three is possible
 */
export async function openCluster(): Promise<Cluster> {
  const { E2E_KUBECONFIG = '', E2E_CONTEXT } = process.env;
  const way = await wayHere();
  if (way === 'kind') return kind();
  if (way === 'own') return own();
  if (!E2E_CONTEXT) throw new Error('E2E_KUBECONFIG needs E2E_CONTEXT: name the context that the tests may use.');
  return given(E2E_KUBECONFIG, E2E_CONTEXT);
}

/**
 * Builds what a cluster of this machine's own needs, and shows that a pod runs in one; other clusters are left alone.
 * @throws a sentence that says why there can be none here
 */
export async function buildCluster(): Promise<void> {
  if ((await wayHere()) !== 'own') return;
  const because = (what: string) => (error: Error) => {
    throw new Error(`${what}: ${error.message.slice(-400)}`);
  };
  // `timeout` ends the compiler too.
  const build = ['-k', '10', String(BUILD_SECONDS), join(HERE, 'build.sh')];
  const env = { PATH, CLUSTER_CACHE: cacheFolder() };
  await shell('timeout', build, { env, timeoutMs: BUILD_SECONDS * 1_000 + 20_000 }).catch(
    because(`The programs of a cluster could not be built within ${BUILD_SECONDS} s (Go's module proxy, npm, Debian)`),
  );
  const cluster = await own().catch(because('No cluster comes up on this machine'));
  const pod = ['run', 'probe', '--image=localhost/pause:1', '--image-pull-policy=Never', '--restart=Never'];
  try {
    await cluster.kubectl(pod);
    await cluster.kubectl(['wait', '--for=condition=Ready', 'pod/probe', '--timeout=60s']);
  } catch (error) {
    because('A cluster of this machine runs no pod')(error as Error);
  } finally {
    await cluster.stop();
  }
}

/** Which of the three it is here. @throws a sentence that says what to install when it is none */
async function wayHere(): Promise<'given' | 'kind' | 'own'> {
  if (process.env['E2E_KUBECONFIG']) return 'given';
  const docker = await shell('docker', ['info'], { timeoutMs: 20_000 }).then(
    () => true,
    () => false,
  );
  if (docker) return 'kind';
  const missing = await missingForOwn();
  if (missing.length > 0) {
    throw new Error(
      `The cluster tests need one of: E2E_KUBECONFIG and E2E_CONTEXT of a cluster for tests; a running Docker engine and kind; or Linux with ${missing.join(', ')}.`,
    );
  }
  return 'own';
}

async function clusterOf(
  options: Pick<Cluster, 'how' | 'own' | 'loadImage' | 'component' | 'node' | 'terminal' | 'stop'> & {
    kubeconfig: string;
    context?: string;
  },
): Promise<Cluster> {
  const { kubectl, helm } = await kubernetesTools();
  const { kubeconfig, context, ...rest } = options;
  const env = { KUBECONFIG: kubeconfig };
  const forwards: (() => void)[] = [];
  return {
    ...rest,
    kubectl: (args, more) =>
      shell(kubectl, [...(context ? ['--context', context] : []), ...stretched(args)], { env, ...more }),
    helm: async (args, { major, ...more } = {}) =>
      shell(major === 3 ? await helm3() : helm, [...(context ? ['--kube-context', context] : []), ...stretched(args)], {
        env,
        ...more,
      }),
    async forward(namespace, target, port) {
      const args = [...(context ? ['--context', context] : []), '-n', namespace, 'port-forward', target, `:${port}`];
      // A kubelet or API server that has just started does not know every pod yet.
      const { match, stop } = await eventually(`a forward to ${target}`, () =>
        background(kubectl, args, /Forwarding from 127\.0\.0\.1:(\d+)/, env),
      );
      forwards.push(stop);
      return { port: Number(match[1]), stop };
    },
    async proxy() {
      const args = [...(context ? ['--context', context] : []), 'proxy', '--port=0'];
      const { match, stop } = await background(kubectl, args, /serve on 127\.0\.0\.1:(\d+)/, env);
      forwards.push(stop);
      return Number(match[1]);
    },
    follow(args, line) {
      let child: ChildProcess | undefined;
      let stopped = false;
      const start = (): void => {
        if (stopped) return;
        child = spawn(kubectl, [...(context ? ['--context', context] : []), ...args], {
          env: { ...process.env, ...env },
          stdio: ['ignore', 'pipe', 'ignore'],
        });
        if (child.stdout) createInterface({ input: child.stdout }).on('line', line);
        // The API server ends watches of a kind whose definition changes; one that can not be reached is not asked all the time.
        child.once('exit', () => void sleepReal(FOLLOW_AGAIN_MS).then(start));
      };
      start();
      const stop = (): void => {
        stopped = true;
        child?.kill('SIGKILL');
      };
      forwards.push(stop);
      return stop;
    },
    async stop() {
      for (const stop of forwards) stop();
      await rest.stop();
    },
  };
}

function given(kubeconfig: string, context: string): Promise<Cluster> {
  const refuse = (): Promise<never> => Promise.reject(new Error('this cluster is not the suite’s own'));
  return clusterOf({
    how: `context ${context} of E2E_KUBECONFIG`,
    own: false,
    kubeconfig,
    context,
    loadImage: async (file) =>
      console.log(`    expected on the nodes of this cluster: the image of ${file}. Load it there, or set E2E_IMAGE.`),
    component: refuse,
    node: refuse,
    terminal: refuse,
    stop: async () => undefined,
  });
}

async function kind(): Promise<Cluster> {
  const unsupported = (): Promise<never> => Promise.reject(new Error('parts of a kind cluster are not reached'));
  const name = `outrider-${randomBytes(3).toString('hex')}`;
  const kubeconfig = join(HERE, `../../.cache/${name}.kubeconfig`);
  await shell(
    'kind',
    [
      'create',
      'cluster',
      '--name',
      name,
      '--kubeconfig',
      kubeconfig,
      '--config',
      join(HERE, 'kind.yaml'),
      '--wait',
      '120s',
    ],
    { timeoutMs: 600_000 },
  );
  return clusterOf({
    how: `kind cluster ${name}`,
    own: false,
    kubeconfig,
    loadImage: async (file) => void (await shell('kind', ['load', 'image-archive', file, '--name', name])),
    component: unsupported,
    node: unsupported,
    terminal: unsupported,
    stop: async () => void (await shell('kind', ['delete', 'cluster', '--name', name, '--kubeconfig', kubeconfig])),
  });
}

/** What this machine lacks for a cluster of real binaries: what to install, and what to allow. */
async function missingForOwn(): Promise<string[]> {
  if (process.platform !== 'linux') return ['Linux'];
  if (process.getuid?.() !== 0) return ['root'];
  const built = await exists(join(cacheFolder(), 'bin/kube'));
  const programs = [
    'npm',
    'python3',
    'openssl',
    'apt-get',
    'dpkg',
    'unshare',
    'nsenter',
    'ip',
    ...(built ? [] : ['go']),
  ];
  const missing: string[] = [];
  for (const program of programs) {
    const found = await shell('sh', ['-c', `command -v ${program}`], { env: { PATH } }).catch(() => '');
    if (found === '') missing.push(`${program} installed`);
  }
  if (missing.length > 0) return missing;
  const refused = (await shell(join(HERE, 'permitted.sh'), [])).split('\n').filter(Boolean);
  return refused.map((one) => `${one} allowed`);
}

/** Where the binaries are kept between runs. */
export function cacheFolder(): string {
  const { CLUSTER_CACHE, XDG_CACHE_HOME } = process.env;
  return CLUSTER_CACHE ?? join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'outrider-cluster');
}

async function own(): Promise<Cluster> {
  const cache = cacheFolder();
  const port = String(await freePort());
  const env = { PATH, CLUSTER_CACHE: cache, CLUSTER_STATE: join(cache, `state-${port}`), CLUSTER_PORT: port };
  const script = (name: string, args: readonly string[], timeoutMs = 120_000): Promise<string> =>
    shell(join(HERE, name), args, { env, timeoutMs });
  // However this process ends, its cluster ends with it.
  const down = (): void => void spawnSync(join(HERE, 'down.sh'), { env: { ...process.env, ...env }, timeout: 30_000 });
  process.once('exit', down);
  process.once('SIGTERM', () => process.exit(143));
  await script('up.sh', [], BUILD_SECONDS * 1_000);
  return clusterOf({
    how: 'real binaries in namespaces of their own',
    own: true,
    kubeconfig: join(env.CLUSTER_STATE, 'kubeconfig'),
    loadImage: async (file) => void (await script('load-image', [file])),
    async component(name, verb) {
      const command = verb === 'kill' ? `kill -9 $(cat /run/cluster/pids/${name})` : `/run/cluster/node/start ${name}`;
      await script('kn', ['sh', '-c', command]);
    },
    node: (command) => script('kn', command),
    async terminal(line, options = {}) {
      const { kubectl } = await kubernetesTools();
      const person = { PATH: `${dirname(kubectl)}:${PATH}`, KUBECONFIG: join(env.CLUSTER_STATE, 'kubeconfig') };
      return shell('sh', ['-c', line], { ...options, env: { ...person, ...options.env } });
    },
    async stop() {
      await script('down.sh', []);
      process.off('exit', down);
    },
  });
}

export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
