import type { Command } from 'commander';
import { z } from 'zod';
import { FINALIZER } from '../../pkg/api/kind.ts';
import type { Clock } from '../../pkg/base/clock.ts';
import { parseEnv } from '../../pkg/base/config.ts';
import { UserError } from '../../pkg/base/errors.ts';
import { createLogger } from '../../pkg/base/log.ts';
import { POD_SELECTOR } from '../../pkg/controllers/names.ts';
import { KubeClient } from '../../pkg/kube/client.ts';
import { isNotFound } from '../../pkg/kube/kube-error.ts';
import { ownRuntime } from '../../pkg/kube/own-runtime.ts';
import { PODS } from '../../pkg/kube/resources.ts';
import type { KubeObject, Resource } from '../../pkg/kube/types.ts';
import { RESOURCES } from '../../pkg/tools/resources/kinds.ts';
import { notUninstalled } from './detach-guard.ts';

const settings = z.object({
  OUTRIDER_NAMESPACE: z.string().min(1).default('outrider'),
  WATCH_NAMESPACES: z.string().optional(),
  /** Deployment of the operator, which would put the finalizers back; it is scaled to none first. */
  OPERATOR_DEPLOYMENT: z.string().min(1).optional(),
  /** Deployment of the MCP server, whose tools set them too. */
  MCP_DEPLOYMENT: z.string().min(1).optional(),
  /** The Job that runs this; absent: a person does. */
  DETACH_JOB: z.string().min(1).optional(),
  /** Absent: the service account of the pod. */
  KUBECONFIG_PATH: z.string().min(1).optional(),
});

const FIELD_MANAGER = 'outrider-detach';
const DEPLOYMENTS: Resource = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  namespaced: true,
};
const JOBS: Resource = { group: 'batch', version: 'v1', plural: 'jobs', kind: 'Job', namespaced: true };
const PAUSE_MS = 500;
/** A pod has 60 s to end at most. */
const MAX_TRIES = 180;

/** A pod has 60 s to finish and give its claim back. */
const MAX_POD_TRIES = 180;

/**
 * `outrider detach`: ends the executors, which nobody would look after, and takes our finalizer from all objects, so that
 * nothing waits for an operator that is removed. Rows stay, and an operator that is installed later puts the finalizers
 * back and starts executors for what is due.
 */
export function addDetachCommand(program: Command): void {
  program
    .command('detach')
    .description('end the executors and release all objects before the operator is removed; no object is deleted')
    .action(async () => {
      const env = parseEnv(settings, process.env);
      const runtime = ownRuntime(createLogger('detach'));
      const source = env.KUBECONFIG_PATH ? { path: env.KUBECONFIG_PATH } : ({ inCluster: true } as const);
      const client = KubeClient.open(source, runtime, { userAgent: 'outrider-detach' });
      const watched = env.WATCH_NAMESPACES?.split(',').map((name) => name.trim());
      const namespaces = watched ? [...new Set([env.OUTRIDER_NAMESPACE, ...watched])] : [undefined];
      try {
        const idle = env.DETACH_JOB === undefined ? undefined : await whyIdle(client, env.OUTRIDER_NAMESPACE, env);
        if (idle !== undefined) {
          console.log(`Nothing is detached: this Job is for helm uninstall, and ${idle}.`);
          return;
        }
        const names = [env.MCP_DEPLOYMENT, env.OPERATOR_DEPLOYMENT].flatMap((name) => name ?? []);
        await stopDeployments(client, runtime.clock, env.OUTRIDER_NAMESPACE, names);
        const left = await endExecutors(client, runtime.clock, env.OUTRIDER_NAMESPACE);
        if (left.length > 0) console.log(`Pods that do not end (is their node lost?): ${left.join(', ')}`);
        let released = 0;
        for (const resource of Object.values(RESOURCES)) {
          for (const namespace of namespaces) released += await release(client, resource, namespace);
        }
        console.log(`${released} objects released.`);
      } finally {
        await client.close();
      }
    });
}

/** See {@link notUninstalled}. */
async function whyIdle(
  client: KubeClient,
  namespace: string,
  { DETACH_JOB: job = '', OPERATOR_DEPLOYMENT: operator }: z.infer<typeof settings>,
): Promise<string | undefined> {
  const found = await client.find<KubeObject>(JOBS, { namespace, name: job });
  const deployment = operator ? await client.find<KubeObject>(DEPLOYMENTS, { namespace, name: operator }) : undefined;
  return notUninstalled(found, deployment);
}

/** Scales deployments to none and waits until their last pods are gone; one that somebody removed already has none. */
async function stopDeployments(
  client: KubeClient,
  clock: Clock,
  namespace: string,
  names: readonly string[],
): Promise<void> {
  const selectors: string[] = [];
  for (const name of names) {
    const written = { fieldManager: FIELD_MANAGER, subresource: 'scale' };
    const deployment = await client
      .mergePatch(DEPLOYMENTS, { namespace, name }, { spec: { replicas: 0 } }, written)
      .catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
    if (deployment) selectors.push((deployment as { status?: { selector?: string } }).status?.selector ?? '');
  }
  await Promise.all(selectors.map((selector) => untilNone(client, clock, namespace, selector)));
}

async function untilNone(client: KubeClient, clock: Clock, namespace: string, selector: string): Promise<void> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const { items } = await client.list(PODS, { namespace, labelSelector: selector, metadataOnly: true });
    if (items.length === 0) return;
    await clock.sleep(PAUSE_MS);
  }
  throw new UserError(`Pods still run. Look at: kubectl -n ${namespace} get pods -l ${selector}`);
}

/** Deletes the executors' pods, which finish and give their claims back. @returns names of those that stay nevertheless */
async function endExecutors(client: KubeClient, clock: Clock, namespace: string): Promise<string[]> {
  let left: string[] = [];
  for (let attempt = 0; attempt < MAX_POD_TRIES; attempt++) {
    const { items } = await client.list(PODS, { namespace, labelSelector: POD_SELECTOR, metadataOnly: true });
    left = items.map(({ metadata }) => metadata.name);
    if (left.length === 0) return left;
    for (const { metadata } of items) {
      if (!metadata.deletionTimestamp) await client.delete(PODS, metadata, { uid: metadata.uid });
    }
    await clock.sleep(PAUSE_MS);
  }
  return left;
}

async function release(client: KubeClient, resource: Resource, namespace: string | undefined): Promise<number> {
  const { items } = await client
    .list<KubeObject>(resource, { namespace, metadataOnly: true })
    .catch((error: unknown) => {
      // The definitions are gone already.
      if (isNotFound(error)) return { items: [] as KubeObject[] };
      throw error;
    });
  const held = items.filter(({ metadata }) => metadata.finalizers?.includes(FINALIZER));
  for (const { metadata } of held) {
    const rest = metadata.finalizers?.filter((name) => name !== FINALIZER) ?? [];
    const patch = { metadata: { finalizers: rest, resourceVersion: metadata.resourceVersion } };
    await client.mergePatch(resource, metadata, patch, { fieldManager: FIELD_MANAGER });
  }
  return held.length;
}
