import { expect } from 'chai';
import pg from 'pg';
import { Registry } from 'prom-client';
import { createLogger } from '../../../pkg/base/log.ts';
import type { CachedObject } from '../../../pkg/controllers/cached-object.ts';
import type { OperatorContext } from '../../../pkg/controllers/context.ts';
import { CountsCache } from '../../../pkg/controllers/counts.ts';
import { executorPodName, LABELS } from '../../../pkg/controllers/names.ts';
import { Capacity } from '../../../pkg/controllers/wake/capacity.ts';
import { StartGate } from '../../../pkg/controllers/wake/start-gate.ts';
import { WakeLoop } from '../../../pkg/controllers/wake/wake-loop.ts';
import type { Pod } from '../../../pkg/controllers/workspace/pod.ts';
import { Store } from '../../../pkg/kube/store.ts';
import { createOperatorMetrics } from '../../../pkg/metrics/operator-metrics.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import { FakeClock } from '../../tools/fake-clock.ts';
import { TestProductClock } from '../../tools/kube.ts';
import { testPostgres } from '../../tools/postgres.ts';

/** More workspaces than the loop looks at in one poll. */
const MANY = 1_200;

describe('wake loop', function () {
  this.timeout(60_000);
  let db: Database;
  let owner: string;
  let real: FakeClock;
  let pods: Store<Pod>;
  let counts: CountsCache;
  let metrics: ReturnType<typeof createOperatorMetrics>;
  /** Workspaces in the order in which they were brought to their controller. */
  let brought: string[];
  /** Workspaces, and single campaigns, whose counts were to be looked at again. */
  let refreshed: string[];
  let campaigns: Store<CachedObject>;

  beforeEach(async () => {
    const { appUrl, superuserUrl } = await (await testPostgres()).product();
    owner = superuserUrl;
    db = new Database({ url: appUrl, max: 2, applicationName: 'test' });
    real = new FakeClock();
    pods = new Store<Pod>({ onHandlerError: () => undefined });
    counts = new CountsCache(db, real);
    brought = [];
    refreshed = [];
    campaigns = new Store<CachedObject>({ onHandlerError: () => undefined });
  });
  afterEach(() => db.close());

  function start(maxPods: number, controller: (key: string, gate: StartGate) => void = () => undefined): WakeLoop {
    const clocks = { real, product: new TestProductClock() };
    const runtime = { log: createLogger('test', 'silent') };
    metrics = createOperatorMetrics(new Registry());
    // None of the workspaces was seen yet: each has a pod of its own.
    const workspaces = new Store<CachedObject>({ onHandlerError: () => undefined });
    const caches = { pods: { store: pods }, campaigns: { store: campaigns }, workspaces: { store: workspaces } };
    const context = { db, clocks, counts, metrics, runtime, homeNamespace: 'outrider', ...caches };
    const capacity = new Capacity({ clock: real, max: maxPods, pods: () => new Set() });
    const gate = new StartGate({ clocks, random: () => 0.5, capacity });
    const workspace = (key: string): void => {
      brought.push(key);
      controller(key, gate);
    };
    const held = (): void => undefined;
    const refresh = (key: string): void => void refreshed.push(key);
    return new WakeLoop(context as unknown as OperatorContext, gate, { workspace, held, refresh, counted: refresh });
  }

  /** Workspaces w0, w1 … with work that is due, that of w0 for the longest time. */
  const due = (count: number): Promise<number> =>
    db.tx({ kind: 'platform' }, async (tx) => {
      await tx.exec(
        `insert into workspace (id, uid, name, created_at, updated_at) select 'w' || n, lpad(n::text, 8, '0') || '-0000', 'W', 1, 1 from generate_series(0, $1::int - 1) n`,
        [count],
      );
      return tx.exec(
        `insert into workspace_wake (workspace_id, due_at, reason) select 'w' || n, 1000 + n, 'test' from generate_series(0, $1::int - 1) n`,
        [count],
      );
    });
  const podOf = (n: number): Pod => {
    const uid = `${String(n).padStart(8, '0')}-0000`;
    const labels = { [LABELS.role]: 'workspace', [LABELS.workspaceUid]: uid };
    const metadata = {
      name: executorPodName(uid),
      namespace: 'outrider',
      uid: `pod-${n}`,
      resourceVersion: '1',
      labels,
    };
    return { apiVersion: 'v1', kind: 'Pod', metadata };
  };

  it('work that is to be done at once is as old as the wish for it', async () => {
    const loop = start(5);
    await due(2);
    await db.tx({ kind: 'platform' }, (tx) =>
      tx.exec(`update workspace_wake set due_at = case workspace_id when 'w0' then 0 else $1::bigint end`, [
        new TestProductClock().now() - 30_000,
      ]),
    );
    await loop.poll();
    expect((await metrics.wakeOldest.get()).values[0]?.value).to.be.within(30, 600);
  });

  it('many executors with a backlog do not hide the workspace that became due after them and sleeps', async () => {
    const loop = start(0);
    await due(MANY + 1);
    for (let n = 0; n < MANY; n++) pods.upsert(podOf(n));
    await loop.poll();
    expect(brought).to.deep.equal([`outrider/w${MANY}`]);
  });

  it('those whose pod the cluster refuses again and again do not keep from its start who became due after them', async () => {
    const refused = 400;
    const started = new Set<string>();
    const loop = start(0, (key, gate) => {
      try {
        gate.admit(key);
      } catch {
        return;
      }
      started.add(key);
      if (key === `outrider/w${refused}`) return;
      gate.notMade(key, key);
      gate.refuse(key, { reason: 'PodRefused', message: 'no such priority class' });
    });
    await due(refused + 1);
    for (let second = 0; second < 60; second++) {
      await loop.poll();
      await real.advance(1_000);
    }
    expect([...started]).to.include(`outrider/w${refused}`);
  });

  it('what an executor did just before it slept is counted too', async () => {
    const loop = start(0);
    const run = (sql: string): Promise<number> => db.tx({ kind: 'platform' }, (tx) => tx.exec(sql));
    await run(`insert into workspace (id, uid, name, created_at, updated_at) values ('acme', 'u', 'Acme', 1, 1)`);
    await run(`insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, entered_at, started_at)
      values (gen_random_uuid(), 'acme', 'flow', 'camp', gen_random_uuid(), 1, 'n0', 'waiting', 1, 1)`);
    await run(`insert into schedule (id, workspace_id, kind, name, cron, timezone, enabled, created_at, deleted_at)
      select gen_random_uuid(), 'acme', x.kind, 'A', '0 6 * * *', 'UTC', x.enabled, 1, x.deleted
      from (values ('signal_agent', true, null::bigint), ('signal_agent', false, null), ('signal_agent', true, 1), ('send_report', true, null))
        x (kind, enabled, deleted)`);
    await run(
      `insert into claim (kind, key, epoch, holder, expires_at) values ('workspace', 'acme', 1, 'pod', clock_timestamp() + interval '1 hour')`,
    );
    await loop.poll();
    await real.advance(29_000);
    await loop.poll();
    expect((await counts.of('acme')).liveRuns).to.equal(1);
    expect(await counts.of('acme')).to.include({ signalAgents: 2, activeSignalAgents: 1 });
    await run(`update run set state = 'completed', ended_at = 2`);
    await run(`update claim set holder = null, expires_at = null`);
    refreshed = [];
    for (let second = 0; second < 60; second++) {
      await real.advance(1_000);
      await loop.poll();
      if (refreshed.length > 0) break;
    }
    expect(refreshed).to.deep.equal(['outrider/acme']);
    expect((await counts.of('acme')).liveRuns).to.equal(0);
  });

  it('leads that were imported while nobody works are counted in the status of their campaign', async () => {
    const loop = start(0);
    const client = new pg.Client({ connectionString: owner });
    await client.connect();
    const run = (sql: string): Promise<unknown> => client.query(sql);
    await run('set search_path = outrider');
    await run(`insert into workspace (id, uid, name, created_at, updated_at) values ('acme', 'u', 'Acme', 1, 1)`);
    for (const name of ['camp', 'same']) {
      await run(`insert into campaign (id, workspace_id, uid, title, state, settings, created_at, updated_at)
        values ('${name}', 'acme', '${name}', 'T', 'draft', '{}', 1, 1)`);
      await run(`insert into campaign_pool (campaign_id, workspace_id, least, leads) values ('${name}', 'acme', 50, 3)
        on conflict (campaign_id) do update set leads = 3`);
      const metadata = { name, namespace: 'outrider', uid: name, resourceVersion: '1' };
      const status = { counts: { workflows: 0, leadsInPool: name === 'same' ? 3 : 0 } };
      campaigns.upsert({ apiVersion: 'outrider.dev/v1alpha1', kind: 'Campaign', metadata, status } as CachedObject);
    }
    await client.end();
    await loop.poll();
    expect(refreshed).to.deep.equal(['outrider/camp']);
  });
});
