import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../../cmd/sandbox/sandbox.ts';
import { workspaceSpec } from '../../../pkg/api/workspace.ts';
import { systemIds } from '../../../pkg/base/ids.ts';
import { createLogger } from '../../../pkg/base/log.ts';
import { Sealer } from '../../../pkg/base/sealer.ts';
import type { ExecutorMode } from '../../../pkg/domain/executor-mode.ts';
import { type Outside, openOutside } from '../../../pkg/engine/calls/outside.ts';
import type { MailDesk } from '../../../pkg/engine/mail/mail-desk.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import type { AiWriter } from '../../../pkg/providers/ai/ai-writer.ts';
import { SmtpImapAdapter } from '../../../pkg/providers/mail/smtp-imap-adapter.ts';
import { mailboxOwner } from '../../../pkg/store/mail/mailboxes.ts';
import { type PoolShare, poolShare } from '../../fixtures/engine/harness.ts';
import { addMailbox } from '../../fixtures/engine/rows.ts';
import { intentOf } from '../../tools/intent-of.ts';
import type { TestProductClock } from '../../tools/kube.ts';
import { sandboxControl } from '../../tools/sandbox-control.ts';
import { startToolCalls, type ToolCalls } from '../../tools/tool-calls.ts';

const KEY = 'sandbox-key-of-the-model';
/** Long, as half of it is what a mail may take to be handed over. */
const SETTLE_AFTER_MS = 60_000;

/** Records of a workspace that workflows name. */
export interface Office {
  ws: string;
  /** Its accounts, which the network knows by the same ids. */
  accounts: readonly string[];
  box: string;
  crm: string;
  outreach: string;
  webhook: string;
  member: string;
}

/** What a new workspace has. */
export interface OfficePlan {
  seed: number;
  senders: 1 | 2;
  /** The workspace whose accounts and agency it shares. */
  neighbour?: Office | undefined;
}

/** The public tools on a real database, an executor's pool, and simulated systems outside; many lives are played on it, each in a workspace of its own. */
export class ModelWorld {
  readonly tools: ToolCalls;
  readonly executor: Database;
  /** What its executors share as one process of the pool; absent: each is alone. */
  pool: PoolShare | undefined;
  readonly outside: Outside;
  readonly mail: MailDesk;
  /** The last line of the sandbox's ledger that was read. */
  seen = 0;
  readonly #sandbox: Sandbox;
  readonly #home: string;
  readonly #sealer: Sealer;
  #offices = 0;

  private constructor(tools: ToolCalls, sandbox: Sandbox, home: string) {
    this.tools = tools;
    this.#sandbox = sandbox;
    this.#home = home;
    this.#sealer = new Sealer('k'.repeat(40));
    this.executor = new Database({ url: tools.cluster.executorUrl, max: 8, applicationName: 'test', pipeline: true });
    const service = (name: string): string => `${sandbox.url}/outside/${name}`;
    const settings = {
      SANDBOX_URL: sandbox.url,
      ENRICHMENT_PDL_URL: service('pdl'),
      ENRICHMENT_PDL_KEY: KEY,
      ENRICHMENT_HUNTER_URL: service('hunter'),
      ENRICHMENT_HUNTER_KEY: KEY,
    };
    const outside = openOutside(settings, this.#sealer);
    this.outside = { ...outside, writer: billed(outside.writer) };
    const adapter = new SmtpImapAdapter({ settleAfterMs: SETTLE_AFTER_MS });
    this.mail = { providers: () => Promise.resolve(adapter), sealer: this.#sealer, ingressUrl: undefined };
  }

  /** @param mode whether the executors of its workspaces are of one process of the pool */
  static async open(mode: ExecutorMode = 'Dedicated'): Promise<ModelWorld> {
    const tools = await startToolCalls();
    const home = await mkdtemp(join(tmpdir(), 'outrider-model-'));
    const sandbox = await startSandbox({ clock: tools.cluster.clock, home, seed: 'model', apiKey: KEY });
    const world = new ModelWorld(tools, sandbox, home);
    if (mode === 'Pooled') world.pool = poolShare(world.executor);
    return world;
  }

  async close(): Promise<void> {
    await this.executor.close();
    await this.tools.stop();
    await this.#sandbox.stop();
    await rm(this.#home, { recursive: true, force: true });
  }

  get clock(): TestProductClock {
    return this.tools.cluster.clock;
  }

  get now(): number {
    return this.clock.now();
  }

  rows<T>(sql: string, values: unknown[] = []): Promise<T[]> {
    return this.tools.rows<T>(sql, values);
  }

  change(sql: string, values: unknown[] = []): Promise<number> {
    return this.tools.cluster.db.tx({ kind: 'platform' }, (tx) => tx.exec(sql, values));
  }

  /** People of the mail and the network do what is due. */
  tick(): void {
    this.#sandbox.tick();
  }

  control<T>(path: string, body?: object): Promise<T> {
    return sandboxControl<T>(this.#sandbox.url, path, body);
  }

  /** A workspace of an agency with an account or two (those of a `neighbour`, where it has one), a mailbox, a calendar and systems outside. */
  async office(account: object, { seed, senders, neighbour }: OfficePlan): Promise<Office> {
    const ws = `m${++this.#offices}x${seed}`;
    await this.tools.cluster.resources({ ids: { uuid: systemIds.uuid, name: () => ws } }).create({
      kind: 'Workspace',
      workspaceId: '',
      prefix: 'ws',
      spec: workspaceSpec.parse({ displayName: ws, owner: `owner@${ws}.example`, agencyId: neighbour?.ws ?? ws }),
      intent: intentOf('', ws),
      finish: async (_tx, written) => ({ id: written.id }),
    });
    const box = await addMailbox(this.tools.cluster.db, ws, {
      ...this.#sandbox.mail,
      sealed: (accountId) => this.#sealer.seal(KEY, mailboxOwner(accountId)),
      now: this.now,
    });
    const [member] = await this.rows<{ id: string }>('select id from member where workspace_id = $1', [ws]);
    const accounts = neighbour?.accounts ?? [`acc-${ws}`, `acc2-${ws}`].slice(0, senders);
    for (const id of accounts) {
      if (!neighbour) await this.#connectAccount(id, account);
      await this.#link(ws, id, neighbour ? 2 : 1);
    }
    await this.#connectCalendar(ws);
    return {
      ws,
      accounts,
      box,
      member: member?.id ?? '',
      crm: await this.#integration(ws, 'crm', 'hubspot', 'hubspot', { token: KEY }),
      outreach: await this.#integration(ws, 'outreach', 'instantly', 'instantly', { token: KEY }),
      webhook: await this.#integration(ws, 'webhook', 'webhook', 'hook/signed', {
        signingSecret: 'a secret of the test',
      }),
    };
  }

  async #connectAccount(id: string, account: object): Promise<void> {
    const { timezone, limits, hours, pacing } = account as Record<string, unknown>;
    await this.change(
      `insert into network_account (id, external_id, display_name, tier, status_since, timezone, limits, ramp_enabled, business_hours, pacing, created_at)
       values ($1, $1, 'Sam Sender', 'sales', 1, $2, $3, false, $4, $5, 1)`,
      [id, timezone, JSON.stringify(limits), JSON.stringify(hours), pacing ? JSON.stringify(pacing) : null],
    );
  }

  /** Who linked first sets what binds all that share the account. */
  async #link(ws: string, id: string, at: number): Promise<void> {
    await this.change('insert into account_link (account_id, workspace_id, share, linked_at) values ($1, $2, 0, $3)', [
      id,
      ws,
      at,
    ]);
  }

  async #connectCalendar(ws: string): Promise<void> {
    const id = `cal-${ws}`;
    const sealed = this.#sealer.seal(JSON.stringify({ username: 'ada', password: KEY }), `calendar:${id}`);
    await this.change(
      `insert into calendar_account (id, workspace_id, url, sealed, timezone, created_at) values ($1, $2, $3, $4, 'Europe/Berlin', 1)`,
      [id, ws, `${this.#sandbox.url}/outside/caldav`, sealed],
    );
  }

  async #integration(ws: string, kind: string, provider: string, path: string, credentials: object): Promise<string> {
    const id = `int-${kind}-${ws}`;
    await this.change(
      `insert into integration (id, workspace_id, provider, kind, url, sealed, created_at) values ($1, $2, $3, $4, $5, $6, 1)`,
      [
        id,
        ws,
        provider,
        kind,
        `${this.#sandbox.url}/outside/${path}`,
        this.#sealer.seal(JSON.stringify(credentials), `integration:${id}`),
      ],
    );
    return id;
  }
}

/** The built-in writer, whose texts cost credits as those of a model do. */
function billed(writer: AiWriter): AiWriter {
  return {
    name: 'simulated',
    billable: true,
    writePlaybook: (facts) => writer.writePlaybook(facts),
    classify: (text, at, signal) => writer.classify(text, at, signal),
    judge: (question, signal) => writer.judge(question, signal),
    craft: (order, signal) => writer.craft(order, signal),
  };
}

/** Ids that a seed decides. */
export function idsOf(seed: string): () => string {
  let count = 0;
  return () => {
    const hex = createHash('sha256').update(`${seed}/${count++}`).digest('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  };
}

export const silent = createLogger('test', 'silent');
