import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../../../pkg/base/log.ts';
import { writeKubeconfig } from '../../../pkg/standalone/kube-setup.ts';
import { startEmbeddedKube } from '../../tools/embedded-kube.ts';
import { kubectl } from '../../tools/kubectl.ts';
import { realBinaries, sharedApiServer, stopSharedApiServer } from '../../tools/real-api-server.ts';

/** The API server that the operator is measured on. */
export interface BenchApi {
  name: string;
  kubeconfigPath: string;
  /** Writes so far to anything but Leases. */
  writes(): Promise<number>;
  stop(): Promise<void>;
}

const TOKEN = 'bench-token';

/** The server of `E2E_KUBECONFIG`, which should be empty; else a real one where its binaries are; else the embedded one. */
export async function benchApi(): Promise<BenchApi> {
  const given = process.env['E2E_KUBECONFIG'];
  if (given) {
    const writes = (): Promise<number> => servedWrites(given);
    return { name: `given by E2E_KUBECONFIG`, kubeconfigPath: given, writes, stop: () => Promise.resolve() };
  }
  if (await realBinaries()) return realApi();
  const embedded = await startEmbeddedKube(createLogger('bench', 'silent'));
  return {
    name: 'embedded API',
    kubeconfigPath: embedded.kubeconfigPath,
    writes: () => Promise.resolve(embedded.writes.filter((line) => !line.includes('/leases/')).length),
    stop: () => embedded.stop(),
  };
}

async function realApi(): Promise<BenchApi> {
  // Memory is not short here: less of the processor goes into collecting it.
  const { url, certificate } = await sharedApiServer(TOKEN, { controllers: false, env: { GOGC: '400' } });
  const folder = await mkdtemp(join(tmpdir(), 'outrider-bench-'));
  const kubeconfigPath = join(folder, 'kubeconfig');
  const who = { user: 'admin', token: TOKEN, namespace: 'outrider' };
  await writeKubeconfig(kubeconfigPath, { server: url, authority: certificate.cert, ...who });
  return {
    name: 'real kube-apiserver and etcd',
    kubeconfigPath,
    writes: () => servedWrites(kubeconfigPath),
    async stop() {
      await stopSharedApiServer();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What the API server itself counted. */
async function servedWrites(kubeconfig: string): Promise<number> {
  const { code, stdout, stderr } = await kubectl(kubeconfig, ['get', '--raw', '/metrics']);
  if (code !== 0) throw new Error(`the API server's metrics can not be read: ${stderr}`);
  const lines = stdout.split('\n').filter((line) => line.startsWith('apiserver_request_total{'));
  const ours = lines.filter(
    (line) =>
      /verb="(POST|PUT|PATCH|APPLY|DELETE)"/.test(line) && /group="outrider.dev"|resource="(pods|events)"/.test(line),
  );
  return ours.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
