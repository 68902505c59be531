import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { SystemClock } from '../../pkg/base/clock.ts';
import type { Logger } from '../../pkg/base/log.ts';
import type { KubeClient } from '../../pkg/kube/client.ts';
import { setUpCluster, writeKubeconfig } from '../../pkg/standalone/kube-setup.ts';
import { type FaultHook, KubeApi } from '../../pkg/standalone/kubeapi/kube-api.ts';
import { makeServerCertificate, type ServerCertificate } from '../../pkg/standalone/kubeapi/server-certificate.ts';
import { testPostgres } from './postgres.ts';

/** The embedded Kubernetes API with our definitions, for tests of its clients. */
export interface EmbeddedKube {
  /** Text of a kubeconfig that may do everything. */
  kubeconfig: string;
  /** Path of the same. */
  kubeconfigPath: string;
  /** Every request that may write, in order: `<method> <path>`. */
  writes: string[];
  /** While true every request is answered with 503. */
  down: boolean;
  /** Answers requests in the server's place. */
  fault: FaultHook | undefined;
  /** Applies definitions, the home namespace `outrider` and the executors' Secret. */
  setUp(client: KubeClient): Promise<void>;
  stop(): Promise<void>;
}

let certificate: Promise<ServerCertificate> | undefined;

/** @param databaseUrl where its objects are; absent: a new database */
export async function startEmbeddedKube(log: Logger, databaseUrl?: string): Promise<EmbeddedKube> {
  const clock = new SystemClock();
  certificate ??= makeServerCertificate(clock.now());
  const connectionString = databaseUrl ?? (await (await testPostgres()).database());
  const pool = new pg.Pool({ connectionString, max: 4 });
  const folder = await mkdtemp(join(tmpdir(), 'outrider-kube-'));
  const kubeconfigPath = join(folder, 'kubeconfig');
  const writes: string[] = [];
  const state: { down: boolean; fault: FaultHook | undefined } = { down: false, fault: undefined };
  const api = await KubeApi.start({
    pool,
    clock,
    log,
    tokens: new Map([['test-token', { user: 'test', groups: ['system:masters'] }]]),
    certificate: await certificate,
    faults: (method, path, query) => {
      if (state.down) return { code: 503, reason: 'ServiceUnavailable', message: 'down' };
      if (method !== 'GET') writes.push(`${method} ${path.split('?')[0]}`);
      return state.fault?.(method, path, query);
    },
  });
  const authority = (await certificate).cert;
  await writeKubeconfig(kubeconfigPath, {
    server: api.url,
    authority,
    user: 'test',
    token: 'test-token',
    namespace: 'outrider',
  });
  return {
    kubeconfig: await readFile(kubeconfigPath, 'utf8'),
    kubeconfigPath,
    writes,
    get down() {
      return state.down;
    },
    set down(value) {
      state.down = value;
    },
    get fault() {
      return state.fault;
    },
    set fault(value) {
      state.fault = value;
    },
    setUp: (client) => setUpCluster(client, 'outrider', 'postgres://nobody@127.0.0.1/none'),
    async stop() {
      await api.stop();
      await pool.end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
