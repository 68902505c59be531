import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import type { Cluster } from './cluster.ts';
import { imageValues } from './images.ts';
import { Reach, reached } from './reach.ts';
import { callTool } from './tool-call.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
export const CHART = join(ROOT, 'charts/outrider');

/** An installation of the chart in a namespace of its own. */
export interface Release {
  name: string;
  namespace: string;
  kubectl(...args: string[]): Promise<string>;
  apply(manifest: object): Promise<string>;
  /** The same in another namespace. */
  within(namespace: string): Pick<Release, 'kubectl' | 'apply'>;
  /** Parsed `kubectl get … -o json`. */
  get<T = Record<string, unknown>>(...args: string[]): Promise<T>;
  /** Calls a tool as an MCP client would, with the first key. @throws with the tool's refusal */
  call<T = Record<string, unknown>>(tool: string, input: object): Promise<T>;
  /** The sandbox's test handles. */
  sandbox<T = unknown>(method: 'GET' | 'POST', path: string, body?: object): Promise<T>;
  /** One statement as the database's superuser. */
  sql(statement: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** One statement with the login of an in-cluster address. */
  sqlAs(url: string, statement: string): Promise<Record<string, unknown>[]>;
  /** `helm upgrade` with these values besides those of the installation, until its Deployments are there. */
  upgrade(sets: Record<string, string>, chart?: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Installs the chart with the development values, its own database and the sandbox.
 * @param chart another version's, which is upgraded to this one
 */
export async function install(cluster: Cluster, more: readonly string[] = [], chart = CHART): Promise<Release> {
  const namespace = `e2e-${randomBytes(4).toString('hex')}`;
  // The definitions are the cluster's: another release may have brought them.
  const defined = (await cluster.kubectl(['get', 'crd', 'workspaces.outrider.dev', '--ignore-not-found'])) !== '';
  const sets = ['--set', `${await imageValues()},crds.enabled=${!defined},operator.replicas=2`, ...more];
  const valuesOf = (of: string): string[] => ['-f', join(of, 'values-dev.yaml'), ...sets];
  const args = ['install', 'outrider', chart, '-n', namespace, '--create-namespace', '--timeout', '4m'];
  await cluster.helm([...args, ...valuesOf(chart)], { timeoutMs: 300_000 });
  const kubectl = (...args: string[]): Promise<string> => cluster.kubectl(['-n', namespace, ...args]);
  await kubectl(
    'rollout',
    'status',
    'deployment/outrider-mcp-server',
    'deployment/outrider-operator',
    '--timeout=180s',
  );
  return releaseOf(cluster, namespace, valuesOf(CHART), kubectl);
}

async function releaseOf(
  cluster: Cluster,
  namespace: string,
  values: string[],
  kubectl: Release['kubectl'],
): Promise<Release> {
  const secretOf = async (name: string, key: string): Promise<string> => {
    const text = await kubectl('get', 'secret', name, '-o', `jsonpath={.data.${key}}`);
    return Buffer.from(text, 'base64').toString('utf8');
  };
  const [key, sandboxKey] = await Promise.all([
    secretOf('outrider-secrets', 'FIRST_KEY'),
    secretOf('outrider-secrets', 'SANDBOX_API_KEY'),
  ]);
  const [database, sandbox, server] = [
    new Reach(() => cluster.forward(namespace, 'service/outrider-postgres', 5432)),
    new Reach(() => cluster.forward(namespace, 'service/outrider-sandbox', 8080)),
    new Reach(() => cluster.forward(namespace, 'service/outrider-mcp-server', 80)),
  ];
  const query = (login: string, statement: string, values: unknown[]): Promise<Record<string, unknown>[]> =>
    database.use((port) => oneQuery(`postgres://${login}@127.0.0.1:${port}/outrider`, statement, values));
  const sandboxCall = (method: string, path: string, body?: object): Promise<unknown> =>
    sandbox.use(async (port) => {
      // Everything that the test handles do may be done twice.
      const response = await reached(
        fetch(`http://127.0.0.1:${port}/_sandbox/${path}`, {
          method,
          headers: { 'x-api-key': sandboxKey, 'content-type': 'application/json' },
          ...(body ? { body: JSON.stringify(body) } : {}),
          signal: AbortSignal.timeout(10_000),
        }),
      );
      if (!response.ok) throw new Error(`sandbox ${path}: ${response.status} ${await response.text()}`);
      return await response.json();
    });
  return {
    name: 'outrider',
    namespace,
    kubectl,
    async upgrade(sets, chart = CHART) {
      const more = Object.entries(sets).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
      const args = ['upgrade', 'outrider', chart, '-n', namespace, '--timeout', '4m', ...values, ...more];
      await cluster.helm(args, { timeoutMs: 300_000 });
      const deployments = ['deployment/outrider-mcp-server', 'deployment/outrider-operator'];
      await kubectl('rollout', 'status', ...deployments, '--timeout=180s');
    },
    apply: (manifest) => cluster.kubectl(['-n', namespace, 'apply', '-f', '-'], { input: JSON.stringify(manifest) }),
    within: (other) => ({
      kubectl: (...args) => cluster.kubectl(['-n', other, ...args]),
      apply: (manifest) => cluster.kubectl(['-n', other, 'apply', '-f', '-'], { input: JSON.stringify(manifest) }),
    }),
    get: async (...args) => JSON.parse(await kubectl('get', ...args, '-o', 'json')),
    call: async <T>(name: string, input: object) => (await callTool({ server, key, name, input })) as T,
    sandbox: async <T>(method: 'GET' | 'POST', path: string, body?: object) =>
      (await sandboxCall(method, path, body)) as T,
    sql: async (statement, values = []) =>
      query(`postgres:${await secretOf('outrider-database', 'POSTGRES_PASSWORD')}`, statement, values),
    sqlAs: (url, statement) => query(`${new URL(url).username}:${new URL(url).password}`, statement, []),
    async close() {
      for (const one of [database, sandbox, server]) await one.close();
      await cluster
        .helm(['uninstall', 'outrider', '-n', namespace, '--wait', '--timeout', '2m'])
        .catch(() => undefined);
      await cluster.kubectl(['delete', 'namespace', namespace, '--wait=false', '--ignore-not-found']);
    },
  };
}

/** @throws Unreached when there was no connection */
async function oneQuery(url: string, statement: string, values: unknown[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // A forward ends with the server that carried it; who waits for the answer is told there.
  client.on('error', () => undefined);
  await reached(client.connect());
  try {
    await client.query('set search_path = outrider, app, public');
    return (await client.query(statement, values)).rows;
  } finally {
    await client.end();
  }
}

/** What a person would look at first when a test failed: pods, events, and the last words of each program. */
export async function describeFailure(release: Release): Promise<string> {
  const parts = [
    ['get', 'pods,jobs,outrider', '-o', 'wide'],
    ['get', 'events', '--sort-by=.lastTimestamp'],
    ...['operator', 'mcp-server', 'executor', 'sandbox'].map((component) => [
      'logs',
      '-l',
      `app.kubernetes.io/component=${component}`,
      '--tail=15',
      '--prefix',
    ]),
  ];
  const ask = (statement: string): Promise<object[]> =>
    release.sql(statement).catch((error: Error) => [{ error: error.message }]);
  const rows = [
    ...(await ask(
      'select workspace_id, state, node_id, wait_reason, count(*)::int from run group by 1, 2, 3, 4 limit 30',
    )),
    ...(await ask(`select workspace_id, action, state, error, evidence from send where state <> 'confirmed' limit 10`)),
  ];
  console.log(`--- runs and sends\n${rows.map((row) => JSON.stringify(row)).join('\n')}`);
  const texts = parts.map(async (args) => {
    const text = await release.kubectl(...args).catch((error: Error) => error.message);
    return `--- kubectl ${args.join(' ')}\n${text.split('\n').slice(-40).join('\n')}`;
  });
  return (await Promise.all(texts)).join('\n');
}
