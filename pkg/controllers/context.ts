import type { EventReason } from '../api/condition-words.ts';
import type { WorkspaceSpec } from '../api/specs.ts';
import type { Clocks } from '../base/clock.ts';
import type { ProductClock } from '../base/product-clock.ts';
import type { ExecutorMode } from '../domain/executor-mode.ts';
import type { KubeClient } from '../kube/client.ts';
import type { EventNote } from '../kube/events.ts';
import type { Informer } from '../kube/informer.ts';
import type { KubeRuntime } from '../kube/runtime.ts';
import type { KubeObject } from '../kube/types.ts';
import type { OperatorMetrics } from '../metrics/operator-metrics.ts';
import type { Database } from '../postgres/database.ts';
import type { GraphChecker } from '../store/resources/graph-checker.ts';
import type { CachedObject } from './cached-object.ts';
import type { CountsCache } from './counts.ts';
import type { Departures } from './departures.ts';
import type { ExecutorLogin } from './executor-role.ts';
import type { SeenDeletions } from './seen-deletions.ts';
import type { Pod } from './workspace/pod.ts';

/** What the platform adds to every executor's pod. Scheduling of a Workspace goes before it. */
export interface ExecutorPodExtras {
  labels?: Readonly<Record<string, string>> | undefined;
  annotations?: Readonly<Record<string, string>> | undefined;
  nodeSelector?: Readonly<Record<string, string>> | undefined;
  priorityClassName?: string | undefined;
  tolerations?: readonly object[] | undefined;
  affinity?: object | undefined;
  topologySpreadConstraints?: readonly object[] | undefined;
  /** False: a user namespace of the pod's own. */
  hostUsers?: boolean | undefined;
  volumes?: readonly object[] | undefined;
  volumeMounts?: readonly object[] | undefined;
}

/** A key of a Secret; `optional`: without it the setting is not there. */
export interface SecretKey {
  name: string;
  key: string;
  optional?: boolean | undefined;
}

/** The pods of the pool. */
export interface PoolSettings {
  /** How many; 0: none. */
  replicas: number;
  /** Database connections of each; absent: as many as a process of a pool takes. */
  connections?: number | undefined;
  /** CPU and memory of each. */
  resources?: WorkspaceSpec['executor']['resources'];
  /** Program and arguments of its container; absent: those of all executors. */
  command?: readonly string[] | undefined;
}

/** How executor Pods are made; the same for all workspaces. */
export interface ExecutorSettings {
  image: string;
  /** Plain settings every executor gets, for example addresses of providers. Never secrets. */
  env: Record<string, string>;
  /** Secret of the home namespace that the executors log in with, and its key (default `DATABASE_URL`). */
  databaseSecret: string;
  databaseSecretKey?: string | undefined;
  /** Settings that are secrets, by reference to Secrets of the home namespace. */
  secretEnv?: Readonly<Record<string, SecretKey>> | undefined;
  serviceAccount: string;
  /** Program and arguments of the container. */
  command: readonly string[];
  /** The operator's claim endpoint; absent: the one who runs the pod hands claims over (the node agent's pipe). */
  leaseUrl?: string | undefined;
  imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never' | undefined;
  imagePullSecrets?: readonly string[] | undefined;
  pod?: ExecutorPodExtras | undefined;
  /** Executors of workspaces at a time; 0 or absent: no bound. */
  maxPods?: number | undefined;
  /** How a workspace is served that says nothing of it (default Dedicated). */
  mode?: ExecutorMode | undefined;
  /** The pods that serve many workspaces; absent: there are none. */
  pool?: PoolSettings | undefined;
  /** Share of the executors that an upgrade replaces at a time, percent (default 10); at least one is. */
  maxUnavailablePercent?: number | undefined;
}

/** Tells people what happened to an object; never fails a reconcile. */
export interface EventSink {
  record(about: KubeObject, happened: EventNote & { reason: EventReason }): void;
}

/** What all controllers share. */
export interface OperatorContext {
  client: KubeClient;
  runtime: KubeRuntime;
  db: Database;
  clocks: Clocks & { product: ProductClock };
  homeNamespace: string;
  /** Whether the objects of a namespace are watched; of others nothing is known, and nothing may be asked. */
  watches(namespace: string): boolean;
  checker: GraphChecker;
  executor: ExecutorSettings;
  executorLogin?: ExecutorLogin | undefined;
  events: EventSink;
  metrics: OperatorMetrics;
  counts: CountsCache;
  /** By `<kind>/<key>`: how to end what is left of the rows of objects that went by force. */
  letGo: Map<string, () => Promise<boolean>>;
  deletions: SeenDeletions;
  departures: Departures;
  workspaces: Informer<CachedObject>;
  campaigns: Informer<CachedObject>;
  workflows: Informer<CachedObject>;
  pods: Informer<Pod>;
}

/** Index of Pods by the key of the Workspace that they work for. */
export const BY_WORKSPACE = 'workspace';
