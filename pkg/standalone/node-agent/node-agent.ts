import { messageOf } from '../../base/errors.ts';
import type { KubeClient } from '../../kube/client.ts';
import { Informer } from '../../kube/informer.ts';
import { PODS, SECRETS } from '../../kube/resources.ts';
import type { KubeRuntime } from '../../kube/runtime.ts';
import { type KubeObject, keyOf, type Resource } from '../../kube/types.ts';
import type { PodIdentity } from '../../store/leases/lease-desk.ts';
import type { ScrapeTargets } from '../scrape-targets.ts';
import { admit, type KnownWorkspace } from './admission.ts';
import type { ExecutorUser } from './executor-user.ts';
import type { LeaseBroker } from './lease-broker.ts';
import { type LogRequest, PodLog, readLog } from './pod-log.ts';
import { type ContainerState, PodProcess } from './pod-process.ts';
import { type AgentPod, podSchema } from './pod-shape.ts';
import { podStatus, refusedStatus } from './pod-status.ts';

const WORKSPACES: Resource = {
  group: 'outrider.dev',
  version: 'v1alpha1',
  plural: 'workspaces',
  kind: 'Workspace',
  namespaced: true,
};
const FIELD_MANAGER = 'outrider-node-agent';
/** Pods at most; more stay Pending. */
const MAX_PODS = 110;

/** Stands for a workspace's id where account sync is meant, which serves them all. */
export const ACCOUNT_SYNC = '';

export interface NodeAgentOptions {
  client: KubeClient;
  runtime: KubeRuntime;
  broker: LeaseBroker;
  /** Entry point of the executor. */
  entry: string;
  /** Whom executors run as; undefined: as ourselves, who are not root. */
  executorUser: ExecutorUser | undefined;
  homeNamespace: string;
  /** Folder of the Pods' logs. */
  logFolder: string;
  /** Told where executors serve their metrics. */
  scrape?: ScrapeTargets;
  /** Settings every executor gets besides its Pod's own. */
  baseEnv: Record<string, string>;
}

interface Running {
  uid: string;
  /** `ACCOUNT_SYNC` for account sync; undefined: one of the pool, which serves many. */
  workspaceId: string | undefined;
  process: PodProcess;
  log: PodLog;
  stopping: boolean;
}

/** A kubelet for one kind of Pod: runs executor Pods as child processes and reports them like a node would. */
export class NodeAgent {
  readonly #options: NodeAgentOptions;
  readonly #pods: Informer<KubeObject>;
  readonly #running = new Map<string, Running>();
  readonly #busy = new Map<string, Promise<void>>();
  readonly #stop = new AbortController();
  #stopped: Promise<void> | undefined;

  constructor(options: NodeAgentOptions) {
    this.#options = options;
    this.#pods = new Informer<KubeObject>({
      client: options.client,
      resource: PODS,
      runtime: options.runtime,
      resyncMs: 30_000,
    });
    const handle = (object: KubeObject): void => this.#enqueue(keyOf(object));
    this.#pods.store.addHandler({ onAdd: handle, onUpdate: (_previous, object) => handle(object), onDelete: handle });
  }

  async start(): Promise<void> {
    void this.#pods.start(this.#stop.signal);
    await this.#pods.synced;
  }

  /** Ends all processes with a short grace period; the Pods stay and run again at the next start. */
  stop(graceSeconds = 4): Promise<void> {
    this.#stopped ??= this.#endAll(graceSeconds);
    return this.#stopped;
  }

  async #endAll(graceSeconds: number): Promise<void> {
    this.#stop.abort(new Error('node agent stops'));
    await Promise.all([...this.#running.values()].map((entry) => entry.process.stop(graceSeconds)));
    for (const entry of this.#running.values()) entry.log.close();
  }

  /** Process id of a Pod's executor, for tests and chaos. */
  pidOf(key: string): number | undefined {
    return this.#running.get(key)?.process.pid;
  }

  /** Hands on that a workspace, or account sync, has work sooner than it knew. */
  hint(workspaceId: string): void {
    for (const entry of this.#running.values()) {
      if (entry.workspaceId === workspaceId) entry.process.hint();
      else if (entry.workspaceId === undefined && workspaceId !== ACCOUNT_SYNC) entry.process.hint(workspaceId);
    }
  }

  /** What `kubectl logs` shows. */
  logs(namespace: string, pod: string, request: LogRequest): AsyncIterable<string> {
    return readLog(this.#logFile(namespace, pod), request);
  }

  /** One reconcile at a time per Pod; a change during one runs another after it. */
  #enqueue(key: string): void {
    const previous = this.#busy.get(key) ?? Promise.resolve();
    const next = previous
      .then(() => this.#reconcile(key))
      .catch((error: unknown) =>
        this.#options.runtime.log.warn({ pod: key, reason: messageOf(error) }, 'pod could not be reconciled'),
      );
    this.#busy.set(key, next);
    void next.finally(() => {
      if (this.#busy.get(key) === next) this.#busy.delete(key);
    });
  }

  async #reconcile(key: string): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const object = this.#pods.store.get(key);
    const running = this.#running.get(key);
    if (!object || (running && running.uid !== object.metadata.uid)) {
      if (running) await this.#end(key, running, 1);
      if (!object) return;
    }
    const pod = podSchema.parse(object);
    if (pod.metadata.deletionTimestamp) return this.#finish(key, pod);
    if (this.#running.has(key) || pod.status.phase === 'Failed' || pod.status.phase === 'Succeeded') return;
    if (this.#running.size >= MAX_PODS) return;
    const admission = admit(pod, await this.#ownerOf(pod), this.#options.homeNamespace);
    if ('refused' in admission) return this.#patchStatus(pod, refusedStatus(admission.refused));
    await this.#launch(key, pod, admission.identity);
  }

  async #launch(key: string, pod: AgentPod, identity: PodIdentity): Promise<void> {
    const { broker, entry, executorUser, runtime, scrape } = this.#options;
    const log = await PodLog.open(this.#logFile(pod.metadata.namespace, pod.metadata.name));
    const env = { ...this.#options.baseEnv, ...(await this.#environment(pod)) };
    const container = pod.spec.containers[0]?.name ?? 'executor';
    const onChange = (state: ContainerState): void => this.#report(pod, container, state);
    const process_ = new PodProcess({
      entry,
      env,
      identity,
      executorUser,
      broker,
      log,
      now: () => runtime.clock.now(),
      onChange,
      onMetrics: (url) => scrape?.set(key, { url, labels: scrapeLabels(pod) }),
    });
    const workspaceId = servedBy(identity);
    this.#running.set(key, { uid: pod.metadata.uid, workspaceId, process: process_, log, stopping: false });
    process_.start();
  }

  #report(pod: AgentPod, container: string, state: ContainerState): void {
    const { log, clock } = this.#options.runtime;
    if (state.kind === 'backoff')
      log.warn(
        { pod: pod.metadata.name, exitCode: state.exitCode, signal: state.signal },
        'executor ended; it will be restarted',
      );
    this.#patchStatus(pod, podStatus(container, state, clock.now())).catch(() => undefined);
  }

  async #finish(key: string, pod: AgentPod): Promise<void> {
    const running = this.#running.get(key);
    if (running)
      await this.#end(key, running, pod.metadata.deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds);
    const { namespace, name, uid } = pod.metadata;
    await this.#options.client.delete(PODS, { namespace, name }, { gracePeriodSeconds: 0, uid });
  }

  async #end(key: string, running: Running, graceSeconds: number): Promise<void> {
    running.stopping = true;
    await running.process.stop(graceSeconds);
    running.log.close();
    this.#options.scrape?.remove(key);
    this.#running.delete(key);
  }

  /** The Workspace that the Pod names: its owner, or the one in the operator's annotation `<namespace>/<name>`. */
  async #ownerOf(pod: AgentPod): Promise<KnownWorkspace | undefined> {
    const { namespace: own, annotations, ownerReferences } = pod.metadata;
    const reference = ownerReferences.find((entry) => entry.kind === 'Workspace');
    const [namespace, name] = reference
      ? [own, reference.name]
      : (annotations['outrider.dev/workspace'] ?? '').split('/');
    if (!namespace || !name) return undefined;
    const found = await this.#options.client.find<KubeObject>(WORKSPACES, { namespace, name });
    if (!found?.metadata.uid) return undefined;
    const id = namespace === this.#options.homeNamespace ? name : `${namespace}.${name}`;
    return { uid: found.metadata.uid, id };
  }

  /** Plain values, downward fields and Secret keys; nothing of our own environment. */
  async #environment(pod: AgentPod): Promise<Record<string, string>> {
    const env: Record<string, string> = {};
    for (const entry of pod.spec.containers[0]?.env ?? []) {
      const { fieldRef, secretKeyRef } = entry.valueFrom ?? {};
      if (entry.value !== undefined) env[entry.name] = entry.value;
      if (fieldRef) env[entry.name] = fieldValue(pod, fieldRef.fieldPath);
      if (secretKeyRef) env[entry.name] = await this.#secretValue(pod.metadata.namespace, secretKeyRef);
    }
    return env;
  }

  async #secretValue(namespace: string, reference: { name: string; key: string }): Promise<string> {
    const secret = await this.#options.client.get<KubeObject & { data?: Record<string, string> }>(SECRETS, {
      namespace,
      name: reference.name,
    });
    const encoded = secret.data?.[reference.key];
    if (encoded === undefined) throw new Error(`Secret ${reference.name} has no key ${reference.key}`);
    return Buffer.from(encoded, 'base64').toString();
  }

  async #patchStatus(pod: AgentPod, status: object): Promise<void> {
    const { namespace, name } = pod.metadata;
    await this.#options.client.mergePatch(
      PODS,
      { namespace, name },
      { status },
      { fieldManager: FIELD_MANAGER, subresource: 'status' },
    );
  }

  #logFile(namespace: string, pod: string): string {
    return `${this.#options.logFolder}/${namespace}_${pod}.log`;
  }
}

function servedBy(identity: PodIdentity): string | undefined {
  if (identity.role === 'workspace') return identity.workspaceId;
  return identity.role === 'accounts' ? ACCOUNT_SYNC : undefined;
}

/** The labels that the chart's PodMonitor sets. */
function scrapeLabels({ metadata }: AgentPod): Record<string, string> {
  const workspace = metadata.annotations['outrider.dev/workspace'];
  return { component: 'executor', pod: metadata.name, ...(workspace ? { workspace } : {}) };
}

function fieldValue(pod: AgentPod, path: string): string {
  if (path === 'metadata.name') return pod.metadata.name;
  if (path === 'metadata.uid') return pod.metadata.uid;
  if (path === 'metadata.namespace') return pod.metadata.namespace;
  return '';
}
