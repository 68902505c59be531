import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import type { KubeClient } from '../kube/client.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES, SECRETS } from '../kube/resources.ts';
import type { KubeObject } from '../kube/types.ts';

const FIELD_MANAGER = 'outrider-standalone';
const CRDS = new URL('../../crds/', import.meta.url).pathname;

/** Where an API server is and who may speak to it. */
export interface KubeconfigEntry {
  server: string;
  /** PEM of its authority. */
  authority: string;
  user: string;
  token: string;
  namespace: string;
}

/** Writes a kubeconfig for one bearer token, readable by its owner only. */
export async function writeKubeconfig(file: string, entry: KubeconfigEntry): Promise<void> {
  const { server, authority, user, token, namespace } = entry;
  const certificate = Buffer.from(authority).toString('base64');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'outrider',
    clusters: [{ name: 'outrider', cluster: { server, 'certificate-authority-data': certificate } }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: 'outrider', context: { cluster: 'outrider', user, namespace } }],
  };
  await writeFile(file, stringify(config), { mode: 0o600 });
}

/** Applies the CRDs, the home namespace and the executors' Secret; idempotent. */
export async function setUpCluster(client: KubeClient, namespace: string, executorDatabaseUrl: string): Promise<void> {
  const options = { fieldManager: FIELD_MANAGER, force: true };
  for (const name of (await readdir(CRDS)).filter((file) => file.endsWith('.yaml')).sort()) {
    for (const document of parseAllDocuments(await readFile(join(CRDS, name), 'utf8'))) {
      await client.apply(CUSTOM_RESOURCE_DEFINITIONS, document.toJS() as KubeObject, options);
    }
  }
  await client.apply(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, options);
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'outrider-executor', namespace },
    type: 'Opaque',
    data: { DATABASE_URL: Buffer.from(executorDatabaseUrl).toString('base64') },
  };
  await client.apply(SECRETS, secret, options);
}
