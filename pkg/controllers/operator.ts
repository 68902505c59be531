import type { KindName } from '../api/specs.ts';
import type { Clocks } from '../base/clock.ts';
import { runPeriodically } from '../base/periodic.ts';
import type { ProductClock } from '../base/product-clock.ts';
import type { KubeClient } from '../kube/client.ts';
import { Informer } from '../kube/informer.ts';
import { LeaderElector } from '../kube/lease.ts';
import { PODS } from '../kube/resources.ts';
import type { KubeRuntime } from '../kube/runtime.ts';
import { SharedValues } from '../kube/shared-values.ts';
import { keyOf } from '../kube/types.ts';
import type { OperatorMetrics } from '../metrics/operator-metrics.ts';
import type { Database } from '../postgres/database.ts';
import type { GraphChecker } from '../store/resources/graph-checker.ts';
import { RESOURCES } from '../tools/resources/kinds.ts';
import { ACCOUNTS_KEY, accountsController } from './accounts/accounts-controller.ts';
import { BY_PARENT, type CachedObject, cachedOf } from './cached-object.ts';
import { campaignController } from './campaign/campaign-controller.ts';
import type { EventSink, ExecutorSettings, OperatorContext } from './context.ts';
import { CountsCache } from './counts.ts';
import { Departures } from './departures.ts';
import type { ExecutorLogin } from './executor-role.ts';
import { LABELS, OPERATOR_LEASE, POD_SELECTOR, WORKSPACE_ANNOTATION } from './names.ts';
import { periodicHostOf, periodicJobs } from './periodic-jobs.ts';
import { POOL_KEY, poolController } from './pool/pool-controller.ts';
import { Seating } from './pool/seating.ts';
import { resourcesBehind, resourcesBehindNow } from './restore/resources-behind.ts';
import { RestoreKeeper } from './restore/restore-keeper.ts';
import { FileVault, LeaseVault } from './restore/vault.ts';
import { SeenDeletions } from './seen-deletions.ts';
import { Capacity } from './wake/capacity.ts';
import { StartGate } from './wake/start-gate.ts';
import { listenForWakes } from './wake/wake-listener.ts';
import { WakeLoop } from './wake/wake-loop.ts';
import { workflowController } from './workflow/workflow-controller.ts';
import type { PlanShared } from './workspace/executor-target.ts';
import type { Pod } from './workspace/pod.ts';
import { Restarts } from './workspace/restarts.ts';
import { leftUnderWay, Rollout } from './workspace/rollout.ts';
import { podIndexers, workspaceController } from './workspace/workspace-controller.ts';

export interface OperatorOptions {
  client: KubeClient;
  runtime: KubeRuntime;
  db: Database;
  /** For LISTEN, on a connection of its own. */
  databaseUrl: string;
  clocks: Clocks & { product: ProductClock };
  homeNamespace: string;
  /** Namespaces to watch; absent: all. The home namespace is always among them. */
  watchNamespaces?: string[];
  checker: GraphChecker;
  executor: ExecutorSettings;
  /** How executors log in; absent: only the settings of their role are kept. */
  executorLogin?: ExecutorLogin;
  events: EventSink;
  metrics: OperatorMetrics;
  /** A file outside the database that keeps the restore epoch besides the Lease (standalone, whose Lease is in Postgres). */
  restoreEpochFile?: string;
  /** Unique per process. */
  identity: string;
}

/** Watches always (a standby's caches are warm), works only while it holds the Lease. */
export class Operator {
  readonly context: OperatorContext;
  readonly #options: OperatorOptions;
  readonly #elector: LeaderElector;
  readonly #lease = new LeaseVault();

  constructor(options: OperatorOptions) {
    this.#options = options;
    this.context = contextOf(options);
    const { client, runtime, homeNamespace, identity } = options;
    this.#elector = new LeaderElector({
      client,
      runtime,
      namespace: homeNamespace,
      name: OPERATOR_LEASE,
      identity,
      annotations: () => this.#lease.annotations,
      onObserved: (annotations) => this.#lease.observe(annotations),
    });
  }

  get isLeader(): boolean {
    return this.#elector.isLeader;
  }

  /** Whether all caches are filled. */
  get hasSynced(): boolean {
    return this.#informers().every((informer) => informer.hasSynced);
  }

  /** Resolves when the caches are filled. */
  async synced(): Promise<void> {
    await Promise.all(this.#informers().map((informer) => informer.synced));
  }

  /** Runs until the signal aborts. @throws LeaseLost when another replica may lead; the process should end */
  async run(signal: AbortSignal): Promise<void> {
    const watching = this.#informers().map((informer) => informer.start(signal));
    try {
      await this.#elector.run(signal, (leading) => this.#lead(leading));
    } finally {
      if (signal.aborted) await Promise.all(watching);
    }
  }

  async #lead(signal: AbortSignal): Promise<void> {
    const { context } = this;
    const { databaseUrl, runtime } = this.#options;
    const shared = sharedOf(context, runtime.random);
    const { gate, seating } = shared;
    const workspaces = workspaceController(context, shared);
    const campaigns = campaignController(context);
    const workflows = workflowController(context);
    const accounts = accountsController(context);
    const pool = poolController(context, seating, (key) => workspaces.enqueue(key));
    const loop = new WakeLoop(context, gate, {
      workspace: (key) => workspaces.enqueue(key),
      held: (kind, key) => ({ workspace: workspaces, campaign: campaigns, workflow: workflows })[kind].enqueue(key),
      refresh: (key) => {
        workspaces.enqueue(key, 'background');
        for (const campaign of context.campaigns.store.byIndex(BY_PARENT, key)) {
          campaigns.enqueue(keyOf(campaign), 'background');
          const below = context.workflows.store.byIndex(BY_PARENT, keyOf(campaign));
          for (const workflow of below) workflows.enqueue(keyOf(workflow), 'background');
        }
      },
      counted: (key) => campaigns.enqueue(key, 'background'),
    });
    const running = [workspaces, campaigns, workflows, accounts, pool].map((controller) => controller.run(signal));
    accounts.enqueue(ACCOUNTS_KEY);
    pool.enqueue(POOL_KEY);
    const byKind = { Workspace: workspaces, Campaign: campaigns, Workflow: workflows };
    for (const { kind, key } of context.deletions.names()) byKind[kind].enqueue(key);
    await this.synced();
    const keeper = this.#restoreKeeper(() => {
      for (const key of context.workspaces.store.keys()) workspaces.enqueue(key);
      for (const key of context.campaigns.store.keys()) campaigns.enqueue(key, 'background');
      for (const key of context.workflows.store.keys()) workflows.enqueue(key, 'background');
    });
    await Promise.all([
      ...running,
      ...[keeper.job, loop.job, ...periodicJobs(context)].map((job) =>
        runPeriodically(job, periodicHostOf(context), signal),
      ),
      listenForWakes({ databaseUrl, clock: context.clocks.real, log: runtime.log, onWake: () => loop.poke() }, signal),
    ]);
  }

  #restoreKeeper(onChange: () => void): RestoreKeeper {
    const { context } = this;
    const { db, runtime, clocks, metrics, restoreEpochFile } = this.#options;
    return new RestoreKeeper({
      db,
      clocks,
      vaults: [this.#lease, ...(restoreEpochFile ? [new FileVault(restoreEpochFile)] : [])],
      behind: (most) => resourcesBehind(context, most),
      behindNow: () => resourcesBehindNow(context),
      onChange,
      log: runtime.log,
      metrics,
    });
  }

  #informers(): Informer<never>[] {
    const { workspaces, campaigns, workflows, pods } = this.context;
    return [workspaces, campaigns, workflows, pods] as unknown as Informer<never>[];
  }
}

/** What paces starts and replacements; one per term as leader. */
function sharedOf(context: OperatorContext, random: () => number): PlanShared {
  const { clocks, executor, pods, workspaces } = context;
  const own = (): Pod[] => pods.store.list().filter((pod) => pod.metadata.labels?.[LABELS.role] === 'workspace');
  const capacity = new Capacity({
    clock: clocks.real,
    max: executor.maxPods ?? 0,
    pods: () => own().map((pod) => pod.metadata.name),
  });
  const rollout = new Rollout({
    clock: clocks.real,
    maxUnavailablePercent: executor.maxUnavailablePercent ?? 10,
    pods: () =>
      own().map(({ metadata }) => ({
        key: metadata.annotations?.[WORKSPACE_ANNOTATION] ?? metadata.name,
        ending: metadata.deletionTimestamp !== undefined,
      })),
    left: () => leftUnderWay(workspaces.store.list()),
  });
  const onStarted = (ms: number): void => context.metrics.executorStartTime.observe(ms / 1_000);
  const gate = new StartGate({ clocks, random, capacity, onStarted });
  return { gate, seating: new Seating(context), rollout, restarts: new Restarts() };
}

function contextOf(options: OperatorOptions): OperatorContext {
  const { client, runtime, db, clocks, homeNamespace, checker, executor, executorLogin, events, metrics } = options;
  const namespaces = options.watchNamespaces ? [...new Set([homeNamespace, ...options.watchNamespaces])] : undefined;
  const same = new SharedValues();
  const informer = (kind: KindName) =>
    new Informer<CachedObject>({
      client,
      runtime,
      resource: RESOURCES[kind],
      namespaces,
      keep: (object) => cachedOf(object, same),
      ...(kind === 'Workspace' ? {} : { indexers: { [BY_PARENT]: ({ parent }) => [parent] } }),
    });
  const ours = { Workspace: informer('Workspace'), Campaign: informer('Campaign'), Workflow: informer('Workflow') };
  const deletions = new SeenDeletions();
  for (const [kind, followed] of Object.entries(ours)) deletions.follow(kind as KindName, followed);
  return {
    client,
    runtime,
    db,
    clocks,
    homeNamespace,
    watches: (namespace) => namespaces === undefined || namespaces.includes(namespace),
    checker,
    executor,
    executorLogin,
    events,
    metrics,
    counts: new CountsCache(db, clocks.real),
    letGo: new Map(),
    deletions,
    departures: new Departures(
      { workspaces: ours.Workspace, campaigns: ours.Campaign, workflows: ours.Workflow },
      clocks.real,
    ),
    workspaces: ours.Workspace,
    campaigns: ours.Campaign,
    workflows: ours.Workflow,
    pods: new Informer<Pod>({
      client,
      runtime,
      resource: PODS,
      namespaces: [homeNamespace],
      labelSelector: POD_SELECTOR,
      indexers: podIndexers,
    }),
  };
}
