import { rm } from 'node:fs/promises';
import { expect } from 'chai';
import pg from 'pg';
import type { Connection } from '../../pkg/standalone/connection.ts';
import type { DemoClient } from '../../pkg/standalone/demo/demo-client.ts';
import { kubectl } from '../tools/kubectl.ts';
import { dashboardExpressions, rules, selectorsOf } from '../tools/monitoring-files.ts';
import { prometheusPrograms, startPrometheus, type TestPrometheus } from '../tools/prometheus.ts';
import { scaledPrometheus } from '../tools/scaled-rules.ts';
import { type RunningHome, until } from './running-home.ts';
import { startSmallCampaign } from './small-campaign.ts';

/** Real ms for what a loaded machine does late, and for a test that waits twice. */
const PATIENCE_MS = 120_000;
const TEST_MS = 300_000;

/** A home that has run a campaign. */
export interface Stage {
  home: RunningHome;
  connection: Connection;
  client: DemoClient;
}

/** What has no series on a healthy home without Redis, and why. */
const RESTING: [RegExp, string][] = [
  [/outrider_redis_up/, 'standalone has no Redis'],
  [/outrider_dead_letters_open/, 'a kind of which there is none has no series'],
  [/outrider_sends_unknown/, 'a kind of which there is none has no series'],
  [/outrider_review_queue/, 'nothing waits for a person'],
  [/code="429"/, 'nobody was slowed down'],
  [/status=~"checkpoint/, 'all accounts are well'],
];

const WRONG = {
  apiVersion: 'outrider.dev/v1alpha1',
  kind: 'Workflow',
  metadata: { name: 'of-no-known-type' },
  spec: {
    campaignRef: { name: '' },
    name: 'wrong',
    enabled: false,
    graph: { nodes: [{ nodeType: 'network:telepathy', label: 'Think', config: {} }], edges: [] },
  },
};

/** What goes wrong, and how it is put right. */
interface Fault {
  alert: string;
  cause: () => Promise<unknown>;
  repair: () => Promise<unknown>;
}

/** Registers the tests that a real Prometheus looks at the home of `stage`. */
export function seenByPrometheus(stage: () => Stage): void {
  let prometheus: TestPrometheus | undefined;
  let folder = '';

  before(async () => {
    const programs = await prometheusPrograms();
    if (!programs) return;
    const scaled = await scaledPrometheus(stage().home.folder);
    folder = scaled.folder;
    prometheus = await startPrometheus(programs.prometheus, scaled.config);
  });
  after(async () => {
    await prometheus?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  it('Prometheus finds every process by the files of the home and scrapes it', async function () {
    this.timeout(TEST_MS);
    const server = prometheus ?? this.skip();
    await until('all are scraped', async () => {
      const up = (await server.targets()).filter((target) => target.health === 'up').map(({ component }) => component);
      return ['mcp-server', 'operator', 'executor'].every((component) => up.includes(component));
    });
  });

  it('every expression of every dashboard, and every series that a rule reads, is there', async function () {
    this.timeout(TEST_MS);
    const server = prometheus ?? this.skip();
    await startSmallCampaign(stage().client, 'prometheus');
    const workspace = await until('the executor works', async () => {
      const [sample] = await server.query('outrider_workflow_steps_total{workspace!=""}');
      return sample?.metric['workspace'];
    });
    const asked = [
      ...dashboardExpressions('5s').map(({ where, expr }) => ({
        where,
        expr: expr.replaceAll('$workspace', workspace).replaceAll('$domain', 'Campaigns').replaceAll('[1d]', '[5s]'),
      })),
      ...rules().flatMap(({ alert, record, expr }) =>
        selectorsOf(expr).map((selector) => ({ where: alert ?? record ?? '', expr: selector })),
      ),
      ...rules().flatMap(({ record }) => (record ? [{ where: record, expr: record }] : [])),
    ];
    const missing = new Map(asked.map((one) => [one.expr, one.where]));
    const resting = (expr: string): boolean => RESTING.some(([pattern]) => pattern.test(expr));
    await until('everything has been seen', async () => {
      await stage().client.inWorkspace('svc_list_campaigns');
      for (const expr of [...missing.keys()]) {
        if (resting(expr) || (await server.query(expr)).length > 0) missing.delete(expr);
      }
      return missing.size === 0;
    }).catch(() => undefined);
    expect([...missing].map(([expr, where]) => `${where}: ${expr}`)).to.deep.equal([]);
  });

  it('alerts fire when their fault is caused, and clear when it is repaired', async function () {
    this.timeout(TEST_MS);
    const server = prometheus ?? this.skip();
    const { client } = stage();
    const faults = await faultsOf(stage());
    const names = faults.map(({ alert }) => alert);
    const quiet = async (): Promise<boolean> => {
      const now = await server.firing();
      return names.every((alert) => !now.has(alert));
    };
    await until('nothing fires yet', quiet, PATIENCE_MS);
    // With all connections taken no call comes to its fault: that one is caused when the others are repaired.
    const pool = faults.filter(({ alert }) => alert === 'PostgresPoolSaturated');
    for (const round of [faults.filter((fault) => !pool.includes(fault)), pool]) {
      const waiting = new Set(round.map(({ alert }) => alert));
      try {
        await Promise.all(round.map(({ cause }) => cause()));
        await until(
          'all fire',
          async () => {
            // The calls whose faults burn the budget.
            if (round !== pool) await client.inWorkspace('svc_list_lead_lists').catch(() => undefined);
            for (const alert of await server.firing()) waiting.delete(alert);
            return waiting.size === 0;
          },
          PATIENCE_MS,
        ).catch(() => undefined);
      } finally {
        await Promise.all(round.map(({ repair }) => repair()));
      }
      expect([...waiting], 'did not fire').to.deep.equal([]);
    }
    await until('all clear', quiet, PATIENCE_MS);
  });

  it('an operator that stands still is noticed, and goes on', async function () {
    this.timeout(TEST_MS);
    const server = prometheus ?? this.skip();
    const { home } = stage();
    const line = (await home.processes()).find((one) => one.includes('cmd/operator/main.ts')) ?? '';
    const pid = Number(line.split(' ')[0]);
    process.kill(pid, 'SIGSTOP');
    try {
      await until('OperatorDown', async () => (await server.firing()).has('OperatorDown'));
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await until('it answers again', async () => !(await server.firing()).has('OperatorDown'));
    await until('it leads', async () => {
      const [leader] = await server.query('leader_election_master_status');
      return leader?.value[1] === '1';
    });
  });
}

/** A connection of the owner; that the home ends while it is open is no failure of a test. */
async function ownerOf({ databaseUrl }: Connection): Promise<pg.Client> {
  const owner = new pg.Client({ connectionString: databaseUrl });
  owner.on('error', () => undefined);
  await owner.connect();
  return owner;
}

async function faultsOf({ client, connection }: Stage): Promise<Fault[]> {
  const { workspaceId } = connection;
  const { campaignId } = await client.inWorkspace<{ campaignId: string }>('svc_create_campaign', { title: 'alerts' });
  const { balance } = await client.inWorkspace<{ balance: number }>('svc_get_credit_balance');
  const credits = (amount: number, idempotencyKey: string): Promise<unknown> =>
    client.call('svc_admin_adjust_credits', { workspaceId, amount, reason: 'test of alerts', idempotencyKey });
  const freeze = (frozen: boolean): Promise<unknown> =>
    client.call('svc_admin_set_send_freeze', { frozen, reason: 'test of alerts' });
  const wrong = JSON.stringify({ ...WRONG, spec: { ...WRONG.spec, campaignRef: { name: campaignId } } });
  const kube = async (verb: string, input: string): Promise<void> => {
    const { code, stderr } = await kubectl(connection.kubeconfig, [verb, '-f', '-'], { input });
    expect(code, stderr).to.equal(0);
  };
  const taken = balance > 0 ? balance : 100;
  if (balance === 0) await credits(taken, 'alerts-first');
  const waiting: Promise<unknown>[] = [];
  const [blocker, owner] = await Promise.all([ownerOf(connection), ownerOf(connection)]);
  return [
    { alert: 'ResourceStalled', cause: () => kube('apply', wrong), repair: () => kube('delete', wrong) },
    { alert: 'CreditsLow', cause: () => credits(-taken, 'alerts-take'), repair: () => credits(taken, 'alerts-give') },
    { alert: 'SendsFrozen', cause: () => freeze(true), repair: () => freeze(false) },
    {
      alert: 'McpErrorBudgetBurn/1h',
      cause: () => owner.query('revoke select on outrider.lead_list from outrider_app'),
      repair: async () => {
        await owner.query('grant select on outrider.lead_list to outrider_app');
        await owner.end();
      },
    },
    {
      alert: 'PostgresPoolSaturated',
      cause: async () => {
        // Somebody forgot an open transaction: twenty writes wait behind it, for sixteen connections.
        await blocker.query('begin; lock table outrider.persona in access exclusive mode');
        for (let index = 0; index < 20; index++)
          waiting.push(client.call('svc_create_persona', { campaignId, name: `p${index}` }).catch(() => undefined));
      },
      repair: async () => {
        await blocker.query('rollback');
        await blocker.end();
        await Promise.all(waiting);
      },
    },
  ];
}
