import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { Agent, request } from 'undici';
import { SystemClock } from '../../../pkg/base/clock.ts';
import { createLogger } from '../../../pkg/base/log.ts';
import { type FaultHook, KubeApi } from '../../../pkg/standalone/kubeapi/kube-api.ts';
import { makeServerCertificate } from '../../../pkg/standalone/kubeapi/server-certificate.ts';
import { eventually } from '../../tools/kube.ts';
import { testPostgres } from '../../tools/postgres.ts';
import { sharedApiServer } from '../../tools/real-api-server.ts';

/** `KUBE_API=real`: the suite runs against a real kube-apiserver (`make test-apiserver`). */
export const REAL = process.env['KUBE_API'] === 'real';

/** The server that the suite talks to. */
export interface Server {
  url: string;
  /** PEM of its authority. */
  authority: string;
  /** The embedded one itself; undefined against a real server. */
  embedded: KubeApi | undefined;
  /** Another one on the same data, to which versions of before are too old. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Leaves out a test of what only the embedded API has, and says why. */
export function onlyEmbedded(context: Mocha.Context, why: string): void {
  if (!REAL) return;
  console.log(`    not against a real API server: ${why}`);
  context.skip();
}

/**
 * @param database of the embedded one; a new one when absent
 * @param real the real one, or the embedded one beside it
 */
export async function openServer(
  token: string,
  faults: FaultHook,
  database?: string,
  real: boolean = REAL,
): Promise<Server> {
  return real ? openReal(token) : openEmbedded(token, faults, database ?? (await newDatabase()));
}

interface Defined {
  spec: { group: string; names: { plural: string }; versions: { name: string }[] };
}

/** One for the whole run; whoever leaves takes what they made along. */
async function openReal(token: string): Promise<Server> {
  const { url, certificate, restart } = await sharedApiServer(token);
  const agent = new Agent({ connect: { ca: certificate.cert } });
  const call = async (method: 'GET' | 'DELETE', path: string): Promise<string> => {
    const authorization = `Bearer ${token}`;
    const answer = await request(`${url}${path}`, { method, dispatcher: agent, headers: { authorization } });
    return answer.body.text();
  };
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const defined = async (): Promise<Defined[]> =>
    (JSON.parse(await call('GET', definitions)) as { items: Defined[] }).items;
  return {
    url,
    authority: certificate.cert,
    embedded: undefined,
    restart,
    async stop() {
      for (const kind of ['configmaps', 'pods']) await call('DELETE', `/api/v1/namespaces/default/${kind}`);
      for (const { spec } of await defined()) {
        const { group, names, versions } = spec;
        await call('DELETE', `/apis/${group}/${versions[0]?.name}/namespaces/default/${names.plural}`);
      }
      await call('DELETE', definitions);
      await eventually('no definition is left', async () => (await defined()).length === 0, 60_000);
      await agent.close();
    },
  };
}

async function openEmbedded(token: string, faults: FaultHook, database: string): Promise<Server> {
  const pool = new pg.Pool({ connectionString: database, max: 4 });
  const certificate = await makeServerCertificate(new SystemClock().now());
  const start = (): Promise<KubeApi> =>
    KubeApi.start({
      pool,
      certificate,
      faults,
      clock: new SystemClock(),
      log: createLogger('test', process.env['LOG_LEVEL'] ?? 'silent'),
      tokens: new Map([[token, { user: 'admin', groups: ['system:masters'] }]]),
    });
  let api = await start();
  return {
    get url() {
      return api.url;
    },
    authority: certificate.cert,
    get embedded() {
      return api;
    },
    async restart() {
      await api.stop();
      api = await start();
    },
    async stop() {
      await api.stop();
      await pool.end();
    },
  };
}

async function newDatabase(): Promise<string> {
  return (await testPostgres()).database(`kube_${randomUUID().replaceAll('-', '').slice(0, 12)}`);
}
