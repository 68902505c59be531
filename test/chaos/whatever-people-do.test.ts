import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createLogger } from '../../pkg/base/log.ts';
import { ClaimKeeper } from '../../pkg/engine/claim-keeper.ts';
import { noFaults } from '../../pkg/engine/fault-points.ts';
import { KnownFor } from '../../pkg/engine/known-for.ts';
import { AccountGuard } from '../../pkg/engine/restore/account-guard.ts';
import { WorkspaceEngine } from '../../pkg/engine/workspace-engine.ts';
import type { KubeObject } from '../../pkg/kube/types.ts';
import { createExecutorMetrics } from '../../pkg/metrics/executor-metrics.ts';
import { Database } from '../../pkg/postgres/database.ts';
import { RESOURCES } from '../../pkg/tools/resources/kinds.ts';
import { FakeNetwork } from '../integration/engine/fake-network.ts';
import { eventually } from '../tools/kube.ts';
import { admin, startToolCalls, type ToolCalls, workspaceKey } from '../tools/tool-calls.ts';
import { ALWAYS } from './load.ts';
import { dice, tellSeed, times } from './seed.ts';

const MINUTE = 60_000;
const PEOPLE = times(12, 60);
const POLICY = { minDaysBetweenTouches: 0, dedupeScope: 'account' };

interface Flow {
  workspaceId: string;
  campaignId: string;
  workflowId: string;
}

describe('chaos: nobody is messaged twice, whatever people do meanwhile', function () {
  this.timeout(1_800_000);
  let tools: ToolCalls;
  let executor: Database;
  let network: FakeNetwork;
  const stops: (() => void)[] = [];
  beforeEach(async () => {
    tools = await startToolCalls();
    await tools.cluster.operator();
    tools.cluster.clock.at = Date.UTC(2026, 2, 2, 10);
    executor = new Database({ url: tools.cluster.executorUrl, max: 4, applicationName: 'test' });
    network = new FakeNetwork();
  });
  afterEach(async function () {
    tellSeed.call(this);
    for (const stop of stops.splice(0)) stop();
    await executor.close();
    await tools.stop();
  });

  const people = Array.from({ length: PEOPLE }, (_, index) => ({ name: `P${index} Lead`, id: `person-${index}` }));
  const nodes = (voice: string): { nodeId: string; nodeType: string; label: string; config: object }[] => [
    { nodeId: 'ask', nodeType: 'network:connection_request', label: 'Ask', config: {} },
    {
      nodeId: 'one',
      nodeType: 'network:message',
      label: 'One',
      config: { textMode: 'static', text: `${voice} one {{lead:firstName}}` },
    },
    {
      nodeId: 'pause',
      nodeType: 'flow:wait',
      label: 'Pause',
      config: { waitType: 'duration', durationMs: 90 * MINUTE },
    },
    {
      nodeId: 'two',
      nodeType: 'network:message',
      label: 'Two',
      config: { textMode: 'static', text: `${voice} two {{lead:firstName}}` },
    },
  ];
  /** The same graph with its nodes listed in another order: edges name them by place. */
  function graph(voice: string, order = [0, 1, 2, 3]): object {
    const listed = order.map((index) => nodes(voice)[index]);
    const place = (index: number): number => order.indexOf(index);
    const edges = [
      { sourceIndex: place(0), targetIndex: place(1), branch: 'already_connected' },
      { sourceIndex: place(1), targetIndex: place(2) },
      { sourceIndex: place(2), targetIndex: place(3) },
    ];
    return { nodes: listed, edges };
  }

  async function openEngine(workspaceId: string): Promise<() => Promise<void>> {
    const { db, clock } = tools.cluster;
    const grant = await db.tx({ kind: 'platform' }, (tx) =>
      tx.row<{ token: string; epoch: number }>(`select token, epoch from app.take_claim('workspace', $1, 'pod')`, [
        workspaceId,
      ]),
    );
    if (!grant) throw new Error('claim refused');
    const claim = new ClaimKeeper(executor, workspaceId, grant);
    claim.start();
    stops.push(() => claim.stop());
    const deps = {
      workspaceId,
      claim,
      clock,
      providers: () => network,
      newId: () => randomUUID(),
      log: createLogger('test', 'silent'),
      metrics: createExecutorMetrics(new Registry()),
      faults: noFaults,
      unknownFor: new KnownFor(),
    };
    const engine = new WorkspaceEngine(deps);
    const guard = new AccountGuard(deps);
    return async () => {
      await guard.check();
      while ((await engine.step()) > 0) await engine.settle();
    };
  }

  async function makeFlow(workspaceId: string): Promise<Flow> {
    const key = workspaceKey(workspaceId);
    const { campaignId } = await tools.call<{ campaignId: string }>('svc_create_campaign', { title: 'T' }, key);
    const policy = { campaignId, businessHours: ALWAYS, contactPolicy: POLICY };
    await tools.call('svc_update_campaign', policy, key);
    const made = { campaignId, name: 'W', graph: graph(workspaceId) };
    const { workflowId } = await tools.call<{ workflowId: string }>('svc_create_workflow', made, key);
    await tools.call('svc_update_workflow_status', { workflowId, enabled: true }, key);
    return { workspaceId, campaignId, workflowId };
  }

  const csv = (rows: string[]): string => `Name,Email,Company,LinkedIn\n${rows.join('\n')}\n`;
  async function importPeople({ workspaceId }: Flow, spelling: (id: string, index: number) => string): Promise<void> {
    const rows = people.map(
      ({ name, id }, index) => `${name},p${index}@x.example,Firm ${index},${spelling(id, index)}`,
    );
    await tools.call('svc_import_leads_csv', { csv: csv(rows) }, workspaceKey(workspaceId));
  }
  async function trigger({ workspaceId, workflowId }: Flow): Promise<void> {
    const key = workspaceKey(workspaceId);
    const { leads } = await tools.call<{ leads: { leadId: string }[] }>('svc_search_leads', { limit: 100 }, key);
    const leadIds = leads.map((lead) => lead.leadId);
    await tools.call('svc_trigger_workflow', { workflowId, leadIds }, key);
  }
  async function control({ workspaceId, workflowId }: Flow, action: string, nodeId?: string): Promise<void> {
    const runs = await tools.rows<{ id: string }>(
      'select id from run where workflow_id = $1 and ended_at is null order by id limit 100',
      [workflowId],
    );
    if (runs.length === 0) return;
    const request = { runIds: runs.map((run) => run.id), action, ...(nodeId ? { nodeId } : {}) };
    await tools.call('svc_control_workflow_runs', request, workspaceKey(workspaceId));
  }
  const find = (flow: Flow): Promise<KubeObject | undefined> =>
    tools.cluster.client.find<KubeObject>(RESOURCES.Workflow, { namespace: 'outrider', name: flow.workflowId });
  async function applyGraph(flow: Flow, order: number[]): Promise<void> {
    const spec = {
      campaignRef: { name: flow.campaignId },
      name: 'W',
      enabled: true,
      inFlight: 'migrate',
      graph: graph(flow.workspaceId, order),
    };
    const object = {
      apiVersion: 'outrider.dev/v1alpha1',
      kind: 'Workflow',
      metadata: { name: flow.workflowId, namespace: 'outrider' },
      spec,
    };
    const applied = await tools.cluster.client.apply(RESOURCES.Workflow, object as KubeObject, {
      fieldManager: 'kubectl',
      force: true,
    });
    const { uid, generation } = applied.metadata;
    await eventually('the change is in the rows', async () => {
      const rows = await tools.rows(
        'select 1 from workflow where id = $1 and uid = $2 and generation >= $3 and deleted_at is null',
        [flow.workflowId, uid, generation],
      );
      return rows.length > 0;
    });
  }
  async function deleteFlow(flow: Flow): Promise<void> {
    await tools.cluster.client.delete(RESOURCES.Workflow, { namespace: 'outrider', name: flow.workflowId });
    await eventually('it is gone', async () => (await find(flow)) === undefined);
  }

  /** Two accounts, each linked to both workspaces. */
  async function connectAccounts(): Promise<void> {
    for (const externalId of ['sam', 'kim']) {
      const account = { action: 'register', accountKind: 'network', displayName: externalId, externalId };
      const { accountId } = await tools.call<{ accountId: string }>(
        'svc_admin_link_account',
        { ...account, workspaceId: 'acme' },
        admin(),
      );
      await tools.call(
        'svc_admin_link_account',
        { action: 'link', accountKind: 'network', accountId, workspaceId: 'rival' },
        admin(),
      );
    }
    await tools.cluster.db.tx({ kind: 'platform' }, (tx) =>
      tx.exec('update network_account set ramp_enabled = false, business_hours = $1', [JSON.stringify(ALWAYS)]),
    );
    for (const { id } of people) network.connected.add(id);
  }

  /** What the network received: no text and no request twice, one voice per account and person, and nobody left out. */
  function judge(done: readonly string[]): void {
    const told = done.join(', ');
    const received = network.received.map((one) => ({ ...one, person: one.publicId.toLowerCase() }));
    const counts = Map.groupBy(received, (one) =>
      one.kind === 'message' ? `${one.person} ${one.text}` : `${one.account} ${one.kind} ${one.person}`,
    );
    const twice = [...counts].filter(([, all]) => all.length > 1).map(([key]) => key);
    expect(twice, told).to.deep.equal([]);
    const messages = received.filter((one) => one.kind === 'message');
    const voices = Map.groupBy(messages, (one) => `${one.account} ${one.person}`);
    const torn = [...voices].filter(([, all]) => new Set(all.map((one) => one.text?.split(' ')[0])).size > 1);
    expect(torn, told).to.deep.equal([]);
    expect(
      messages.some((one) => one.text?.includes(' two ')),
      'second texts went out too',
    ).to.equal(true);
    expect(new Set(messages.map((one) => one.person)).size, `nobody is left out: ${told}`).to.equal(PEOPLE);
  }

  it('re-trigger, move back, reorder, migrate, re-import, merge, two workspaces, two senders, delete and re-create', async () => {
    await connectAccounts();
    const acme = await makeFlow('acme');
    const rival = await makeFlow('rival');
    await importPeople(acme, (id) => id);
    await importPeople(rival, (id, index) => (index % 2 === 0 ? id : ''));
    await trigger(acme);
    const engines = [await openEngine('acme'), await openEngine('rival')];
    const random = dice('people');
    const shuffled = (): number[] =>
      [0, 1, 2, 3]
        .map((index) => [random(), index] as const)
        .sort(([a], [b]) => a - b)
        .map(([, index]) => index);
    const deeds: Record<string, () => Promise<void>> = {
      retrigger: () => trigger(acme),
      'move back': () => control(acme, 'move', random() < 0.5 ? 'one' : 'ask'),
      'stop and retrigger': async () => {
        await control(acme, 'stop');
        await trigger(acme);
      },
      'reorder by kubectl': () => applyGraph(acme, shuffled()),
      're-import in another spelling': () =>
        importPeople(acme, (id) => `https://www.linkedin.com/in/${id.toUpperCase()}/?x=1`),
      'merge identities': () => importPeople(rival, (id) => id),
      'the other workspace': () => trigger(rival),
      'delete and re-create': async () => {
        await deleteFlow(acme);
        await applyGraph(acme, [0, 1, 2, 3]);
        await trigger(acme);
      },
    };
    const done: string[] = [];
    const names = Object.keys(deeds);
    for (let turn = 0; turn < times(30, 400); turn++) {
      for (const engine of engines) await engine();
      tools.cluster.clock.at = tools.cluster.clock.now() + Math.round((5 + random() * 60) * MINUTE);
      if (random() < 0.4) continue;
      const name =
        done.length < names.length ? (names[done.length] ?? '') : (names[Math.floor(random() * names.length)] ?? '');
      done.push(name);
      await deeds[name]?.();
    }
    for (let turn = 0; turn < 200; turn++) {
      tools.cluster.clock.at = tools.cluster.clock.now() + 20 * MINUTE;
      for (const engine of engines) await engine();
    }
    expect(new Set(done), 'everything was done').to.deep.equal(new Set(names));
    judge(done);
  });
});
