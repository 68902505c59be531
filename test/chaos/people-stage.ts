import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createLogger } from '../../pkg/base/log.ts';
import { noFaults } from '../../pkg/engine/fault-points.ts';
import { ClaimKeeper } from '../../pkg/engine/lease/claim-keeper.ts';
import { KnownFor } from '../../pkg/engine/lookups/known-for.ts';
import { WorkspaceEngine } from '../../pkg/engine/loop/workspace-engine.ts';
import { AccountGuard } from '../../pkg/engine/restore/account-guard.ts';
import type { KubeObject } from '../../pkg/kube/types.ts';
import { createExecutorMetrics } from '../../pkg/metrics/executor-metrics.ts';
import { Database } from '../../pkg/postgres/database.ts';
import { RESOURCES } from '../../pkg/tools/resources/kinds.ts';
import { FakeNetwork } from '../integration/engine/fake-network.ts';
import { eventually } from '../tools/kube.ts';
import { admin, startToolCalls, type ToolCalls, workspaceKey } from '../tools/tool-calls.ts';
import { ALWAYS } from './load.ts';

const MINUTE = 60_000;
const POLICY = { minDaysBetweenTouches: 0, dedupeScope: 'account' };

export interface Flow {
  workspaceId: string;
  campaignId: string;
  workflowId: string;
}
export interface Somebody {
  name: string;
  id: string;
}
interface NodeInput {
  nodeId: string;
  nodeType: string;
  label: string;
  config: object;
}

function nodes(voice: string): NodeInput[] {
  const say = (nodeId: string): NodeInput => ({
    nodeId,
    nodeType: 'network:message',
    label: nodeId,
    config: { textMode: 'static', text: `${voice} ${nodeId} {{lead:firstName}}` },
  });
  const pause = { waitType: 'duration', durationMs: 90 * MINUTE };
  return [
    { nodeId: 'ask', nodeType: 'network:connection_request', label: 'ask', config: {} },
    say('one'),
    { nodeId: 'pause', nodeType: 'flow:wait', label: 'pause', config: pause },
    say('two'),
  ];
}

/** Two texts with a pause between, the nodes listed in some order: edges name them by place. */
export function graph(voice: string, order = [0, 1, 2, 3]): { nodes: NodeInput[]; edges: object[] } {
  const known = nodes(voice);
  const listed = order.flatMap((index) => known[index] ?? []);
  const place = (index: number): number => order.indexOf(index);
  const edges = [
    { sourceIndex: place(0), targetIndex: place(1), branch: 'already_connected' },
    { sourceIndex: place(1), targetIndex: place(2) },
    { sourceIndex: place(2), targetIndex: place(3) },
  ];
  return { nodes: listed, edges };
}

/** Public tools, the operator and the engines of the workspaces `acme` and `rival`, which share two accounts. */
export class PeopleStage {
  readonly tools: ToolCalls;
  readonly network = new FakeNetwork();
  readonly accounts: string[] = [];
  /** Who is imported and judged. */
  people: Somebody[] = [];
  readonly #executor: Database;
  readonly #stops: (() => void)[] = [];
  readonly #engines: (() => Promise<void>)[] = [];
  #triggered = 0;

  private constructor(tools: ToolCalls) {
    this.tools = tools;
    this.#executor = new Database({ url: tools.cluster.executorUrl, max: 4, applicationName: 'test' });
  }

  static async open(): Promise<PeopleStage> {
    const tools = await startToolCalls();
    await tools.cluster.operator();
    tools.cluster.clock.at = Date.UTC(2026, 2, 2, 10);
    const stage = new PeopleStage(tools);
    await stage.#connectAccounts();
    return stage;
  }

  async close(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    await this.#executor.close();
    await this.tools.stop();
  }

  /** New people, all of them connections of both accounts. */
  newPeople(count: number, prefix = 'person'): void {
    this.people = Array.from({ length: count }, (_, index) => ({
      name: `P${index} ${prefix}`,
      id: `${prefix}-${index}`,
    }));
    for (const { id } of this.people) this.network.connected.add(id);
  }

  async openEngine(workspaceId: string): Promise<void> {
    const { db, clock } = this.tools.cluster;
    const grant = await db.tx({ kind: 'platform' }, (tx) =>
      tx.row<{ token: string; epoch: number }>(`select token, epoch from app.take_claim('workspace', $1, 'pod')`, [
        workspaceId,
      ]),
    );
    if (!grant) throw new Error('claim refused');
    const claim = new ClaimKeeper(this.#executor, workspaceId, grant);
    claim.start();
    this.#stops.push(() => claim.stop());
    const deps = {
      workspaceId,
      claim,
      clock,
      providers: () => this.network,
      newId: () => randomUUID(),
      log: createLogger('test', 'silent'),
      metrics: createExecutorMetrics(new Registry()),
      faults: noFaults,
      unknownFor: new KnownFor(),
    };
    const engine = new WorkspaceEngine(deps);
    const guard = new AccountGuard(deps);
    this.#engines.push(async () => {
      await guard.check();
      while ((await engine.step()) > 0) await engine.settle();
    });
  }

  /** Lets the executors do what is due. */
  async work(): Promise<void> {
    for (const engine of this.#engines) await engine();
  }

  /** Lets time pass in steps of 20 minutes. */
  async pass(steps: number): Promise<void> {
    const { clock } = this.tools.cluster;
    for (let step = 0; step < steps; step++) {
      clock.at = clock.now() + 20 * MINUTE;
      await this.work();
    }
  }

  async makeFlow(workspaceId: string): Promise<Flow> {
    const { tools } = this;
    const key = workspaceKey(workspaceId);
    const { campaignId } = await tools.call<{ campaignId: string }>('svc_create_campaign', { title: 'T' }, key);
    const policy = { campaignId, businessHours: ALWAYS, contactPolicy: POLICY };
    await tools.call('svc_update_campaign', policy, key);
    const made = { campaignId, name: 'W', graph: graph(workspaceId) };
    const { workflowId } = await tools.call<{ workflowId: string }>('svc_create_workflow', made, key);
    await tools.call('svc_update_workflow_status', { workflowId, enabled: true }, key);
    return { workspaceId, campaignId, workflowId };
  }

  async importPeople({ workspaceId }: Flow, spelling: (id: string, index: number) => string): Promise<void> {
    const rows = this.people.map(
      ({ name, id }, index) => `${name},${id}@x.example,Firm of ${id},${spelling(id, index)}`,
    );
    const csv = `Name,Email,Company,LinkedIn\n${rows.join('\n')}\n`;
    await this.tools.call('svc_import_leads_csv', { csv }, workspaceKey(workspaceId));
  }

  async trigger({ workspaceId, workflowId }: Flow): Promise<void> {
    const key = workspaceKey(workspaceId);
    const { leads } = await this.tools.call<{ leads: { leadId: string; fullName: string }[] }>(
      'svc_search_leads',
      { limit: 100 },
      key,
    );
    const names = new Set(this.people.map((one) => one.name));
    const leadIds = leads.filter((lead) => names.has(lead.fullName)).map((lead) => lead.leadId);
    // Each is meant, however quickly they follow each other.
    const idempotencyKey = `${workflowId}-${++this.#triggered}`;
    await this.tools.call('svc_trigger_workflow', { workflowId, leadIds, idempotencyKey }, key);
  }

  async control({ workspaceId, workflowId }: Flow, action: string, nodeId?: string): Promise<void> {
    const runs = await this.tools.rows<{ id: string }>(
      'select id from run where workflow_id = $1 and ended_at is null order by id limit 100',
      [workflowId],
    );
    if (runs.length === 0) return;
    const request = { runIds: runs.map((run) => run.id), action, ...(nodeId ? { nodeId } : {}) };
    await this.tools.call('svc_control_workflow_runs', request, workspaceKey(workspaceId));
  }

  async applyGraph(flow: Flow, order: number[]): Promise<void> {
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
    const applied = await this.tools.cluster.client.apply(RESOURCES.Workflow, object as KubeObject, {
      fieldManager: 'kubectl',
      force: true,
    });
    const { uid, generation } = applied.metadata;
    await eventually('the change is in the rows', async () => {
      const rows = await this.tools.rows(
        'select 1 from workflow where id = $1 and uid = $2 and generation >= $3 and deleted_at is null',
        [flow.workflowId, uid, generation],
      );
      return rows.length > 0;
    });
  }

  async deleteFlow(flow: Flow): Promise<void> {
    const { client } = this.tools.cluster;
    const named = { namespace: 'outrider', name: flow.workflowId };
    await client.delete(RESOURCES.Workflow, named);
    await eventually(
      'it is gone',
      async () => (await client.find<KubeObject>(RESOURCES.Workflow, named)) === undefined,
    );
  }

  /** Two accounts, each linked to both workspaces. */
  async #connectAccounts(): Promise<void> {
    for (const externalId of ['sam', 'kim']) {
      const account = { action: 'register', accountKind: 'network', displayName: externalId, externalId };
      const { accountId } = await this.tools.call<{ accountId: string }>(
        'svc_admin_link_account',
        { ...account, workspaceId: 'acme' },
        admin(),
      );
      await this.tools.call(
        'svc_admin_link_account',
        { action: 'link', accountKind: 'network', accountId, workspaceId: 'rival' },
        admin(),
      );
      this.accounts.push(accountId);
    }
    await this.tools.cluster.db.tx({ kind: 'platform' }, (tx) =>
      tx.exec('update network_account set ramp_enabled = false, business_hours = $1', [JSON.stringify(ALWAYS)]),
    );
  }

  /** What the network received: no text and no request twice, one voice per account and person, and nobody left out. */
  judge(told: string): void {
    const ids = new Set(this.people.map((one) => one.id));
    const received = this.network.received
      .map((one) => ({ ...one, person: one.publicId.toLowerCase() }))
      .filter((one) => ids.has(one.person));
    const counts = Map.groupBy(received, (one) =>
      one.kind === 'message' ? `${one.person} ${one.text}` : `${one.account} ${one.kind} ${one.person}`,
    );
    const twice = [...counts].filter(([, all]) => all.length > 1).map(([key]) => key);
    expect(twice, told).to.deep.equal([]);
    const messages = received.filter((one) => one.kind === 'message');
    const voices = Map.groupBy(messages, (one) => `${one.account} ${one.person}`);
    const torn = [...voices].filter(([, all]) => new Set(all.map((one) => one.text?.split(' ')[0])).size > 1);
    expect(torn, told).to.deep.equal([]);
    const second = messages.some((one) => one.text?.includes(' two '));
    expect(second, 'second texts went out too').to.equal(true);
    expect(new Set(messages.map((one) => one.person)).size, `nobody is left out: ${told}`).to.equal(ids.size);
  }
}
