import { type ChildProcess, execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { openProductClock, type ProductClock } from '../../pkg/base/product-clock.ts';
import { enrolLeads } from '../../pkg/store/runs/enrol.ts';
import { addAccount, addLead } from '../integration/engine/fixtures.ts';
import { OwnCluster } from './own-cluster.ts';
import { OwnPostgres } from './own-postgres.ts';
import { kill, Stage } from './stage.ts';

const HOUR = 3_600_000;
const CLI = new URL('../../cmd/outrider/main.ts', import.meta.url).pathname;
const { PATH: path = '' } = process.env;
const ALWAYS = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };

/** Texts that every person shall get, once each and in this order. */
export const TEXTS = ['first of two', 'second of two'];
const message = (text: string) => ({
  nodeType: 'network:message',
  config: { textMode: 'static', text: `${text} {{lead:firstName}}` },
});

/** The product with a Postgres and a cluster of its own, a campaign of two messages under way. */
export class RestoreStage {
  readonly postgres: OwnPostgres;
  readonly cluster: OwnCluster;
  readonly stage: Stage;
  readonly #clock: ProductClock;
  #executor: ChildProcess | undefined;
  people = 0;

  private constructor(postgres: OwnPostgres, cluster: OwnCluster, stage: Stage, clock: ProductClock) {
    this.postgres = postgres;
    this.cluster = cluster;
    this.stage = stage;
    this.#clock = clock;
  }

  static async open(): Promise<RestoreStage> {
    const postgres = await OwnPostgres.make();
    const stage = await Stage.open(postgres.urls);
    const clock = await openProductClock(stage.clock.address);
    const cluster = await OwnCluster.make(postgres.urls.appUrl, clock);
    return new RestoreStage(postgres, cluster, stage, clock);
  }

  async close(): Promise<void> {
    await this.cluster.stop();
    this.#clock.close();
    await this.stage.close();
    await this.postgres.stop();
  }

  /** Applies the three resources and lets `people` connected persons in through two accounts. */
  async campaign(people: number): Promise<void> {
    const { cluster, stage } = this;
    await cluster.operate();
    await cluster.apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example', businessHours: ALWAYS });
    await cluster.apply('Campaign', 'camp', {
      workspaceRef: { name: 'acme' },
      title: 'T',
      state: 'active',
      businessHours: ALWAYS,
      contactPolicy: { minDaysBetweenTouches: 0 },
    });
    await this.applyWorkflow('W');
    await stage.until(
      'the workflow is in the rows',
      async () => (await stage.query(`select 1 from workflow where enabled and graph_version = 1`)).length > 0,
    );
    for (let index = 0; index < 2; index++) await addAccount(stage.app, ['acme']);
    await this.enrol(people);
  }

  applyWorkflow(name: string): Promise<unknown> {
    const wait = { nodeType: 'flow:wait', nodeId: 'pause', config: { waitType: 'duration', durationMs: HOUR } };
    const graph = {
      nodes: [{ ...message(TEXTS[0] ?? ''), nodeId: 'one' }, wait, { ...message(TEXTS[1] ?? ''), nodeId: 'two' }],
      edges: [
        { sourceIndex: 0, targetIndex: 1 },
        { sourceIndex: 1, targetIndex: 2 },
      ],
    };
    return this.cluster.apply('Workflow', 'flow', { campaignRef: { name: 'camp' }, name, enabled: true, graph });
  }

  /** Lets new people in; returns their public ids. */
  async enrol(count: number): Promise<string[]> {
    const publicIds = Array.from({ length: count }, () => `r-${randomUUID().slice(0, 8)}`);
    for (const publicId of publicIds) await this.stage.steer('POST', 'people', { publicId, behaviour: 'connected' });
    this.people += count;
    await this.importPeople(publicIds);
    return publicIds;
  }

  /** Imports people by their public ids and enrols them. */
  async importPeople(publicIds: readonly string[]): Promise<void> {
    const { stage } = this;
    const leads: string[] = [];
    for (const [index, publicId] of publicIds.entries()) {
      leads.push(await addLead(stage.app, 'acme', { profileId: publicId, firstName: `P${index}` }));
    }
    await stage.app.tx({ kind: 'workspaces', ids: ['acme'] }, (tx) =>
      enrolLeads(tx, {
        workspaceId: 'acme',
        workflowId: 'flow',
        now: stage.clock.now(),
        leads: leads.map((leadId) => ({ leadId, runId: randomUUID() })),
        source: 'trigger',
      }),
    );
  }

  startExecutor(): void {
    this.#executor = this.stage.executor({ workspace: 'acme' }, 'pod-1');
    const child = this.#executor;
    // Postgres that goes away ends it; the Pod's restart policy starts it again.
    child.once('exit', (code) => {
      if (code !== 0 && this.#executor === child) this.startExecutor();
    });
  }

  async stopExecutor(): Promise<void> {
    const child = this.#executor;
    this.#executor = undefined;
    if (child) await kill(child, 'SIGTERM');
  }

  /** Runs until the sandbox has performed this many messages in all. */
  async sendUntil(count: number): Promise<void> {
    await this.stage.clock.setSpeed(3_000);
    this.startExecutor();
    await this.stage.until(`${count} messages`, async () => (await this.sent()).length >= count);
    await this.stopExecutor();
    await this.stage.clock.setSpeed(1);
  }

  async sent(): Promise<string[]> {
    const received = await this.stage.received();
    return received
      .filter((one) => one.kind === 'message')
      .map((one) => `${one.target} ${one.text?.replace(/ P\d+$/, '')}`);
  }

  /** Until the epoch kept outside has risen that often: a leader's Lease rounds. */
  async rounds(count: number): Promise<void> {
    const epoch = async (): Promise<number> => {
      const [row] = await this.stage.query<{ epoch: number }>('select epoch from restore_guard');
      return row?.epoch ?? 0;
    };
    const from = await epoch();
    await this.stage.until(`${count} rounds`, async () => (await epoch()) >= from + count);
  }

  async frozen(): Promise<string | undefined> {
    const rows = await this.stage.query<{ reason: string }>(
      `select reason from send_freeze where frozen_by = 'outrider' order by scope desc`,
    );
    return rows[0]?.reason;
  }

  /** Starts operator and executor after a restore and waits until the engine has tried to send and was refused. */
  async startFrozen(): Promise<string> {
    await this.cluster.operate();
    this.startExecutor();
    await this.stage.clock.setSpeed(3_000);
    const reason = await this.stage.untilFound('sends freeze', () => this.frozen());
    await this.stage.until('a run was refused', async () => {
      const rows = await this.stage.query(
        `select 1 from run where wait_reason = 'send_freeze' and due_at is null and ended_at is null`,
      );
      return rows.length > 0;
    });
    return reason;
  }

  /** `outrider reconcile` as a person runs it. */
  reconcile(...options: string[]): Promise<{ code: number; output: string }> {
    const env = {
      PATH: path,
      OWNER_DATABASE_URL: this.postgres.urls.ownerUrl,
      OUTRIDER_CLOCK: this.stage.clock.address,
      SANDBOX_URL: this.stage.sandbox.url,
      SANDBOX_API_KEY: 'chaos-key',
    };
    return new Promise((resolve) => {
      execFile(process.execPath, [CLI, 'reconcile', ...options], { env }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
      );
    });
  }

  /** Lets everything end and returns what each person got, for the judge. */
  async finish(): Promise<string[]> {
    await this.stage.clock.setSpeed(3_000);
    if (!this.#executor) this.startExecutor();
    await this.stage.until(
      'all runs end',
      async () => (await this.stage.query('select 1 from run where ended_at is null limit 1')).length === 0,
    );
    await this.stopExecutor();
    return (await this.sent()).sort();
  }
}

/** What `people` persons must have got: each text once. */
export function wanted(sent: readonly string[]): string[] {
  const targets = [...new Set(sent.map((one) => one.split(' ')[0]))];
  return targets.flatMap((target) => TEXTS.map((text) => `${target} ${text}`)).sort();
}
