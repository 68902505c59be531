import { createLogger } from '../../../pkg/base/log.ts';
import { startEmbeddedKube } from '../../tools/embedded-kube.ts';
import { kubectl } from '../../tools/kubectl.ts';

/** The API server that the operator is measured on. */
export interface BenchApi {
  name: string;
  kubeconfigPath: string;
  /** Writes so far to anything but Leases. */
  writes(): Promise<number>;
  stop(): Promise<void>;
}

/** The server of `E2E_KUBECONFIG`, which should be empty; else the embedded one. */
export async function benchApi(): Promise<BenchApi> {
  const given = process.env['E2E_KUBECONFIG'];
  if (given) {
    const writes = (): Promise<number> => servedWrites(given);
    return { name: `given by E2E_KUBECONFIG`, kubeconfigPath: given, writes, stop: () => Promise.resolve() };
  }
  const embedded = await startEmbeddedKube(createLogger('bench', 'silent'));
  return {
    name: 'embedded API',
    kubeconfigPath: embedded.kubeconfigPath,
    writes: () => Promise.resolve(embedded.writes.filter((line) => !line.includes('/leases/')).length),
    stop: () => embedded.stop(),
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
