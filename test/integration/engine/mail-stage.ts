import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../../cmd/sandbox/sandbox.ts';
import { createLogger } from '../../../pkg/base/log.ts';
import { Sealer } from '../../../pkg/base/sealer.ts';
import type { MailDesk } from '../../../pkg/engine/mail/mail-desk.ts';
import { syncMailbox } from '../../../pkg/engine/mail/mail-sync.ts';
import { SmtpImapAdapter } from '../../../pkg/providers/mail/smtp-imap-adapter.ts';
import { mailboxOwner } from '../../../pkg/store/mail/mailboxes.ts';
import { sandboxControl } from '../../tools/sandbox-control.ts';
import type { Received } from '../sandbox/harness.ts';
import { FakeNetwork } from './fake-network.ts';
import {
  addCampaign,
  addLead,
  addMailbox,
  addWorkflow,
  addWorkspace,
  type GraphInput,
  mailAddress,
  QUIET,
} from './fixtures.ts';
import { type Bench, type EngineHandle, openEngine, takeClaim } from './harness.ts';
import { NO_GAP } from './place.ts';

/** Long, as half of it is what a mail may take to be handed over: a machine that stalls for a second makes none of them unknown. */
const SETTLE_AFTER_MS = 60_000;
const PASSWORD = 'the-mailbox-password';
const ALWAYS = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };

/** A workspace that mails through a mailbox of its own. */
export interface MailPlace {
  ws: string;
  camp: string;
  flow: string;
  box: string;
  address: string;
  network: FakeNetwork;
  handle: EngineHandle;
}

/** Real SMTP and IMAP servers beside a database, on one clock. */
export class MailStage {
  readonly bench: Bench;
  readonly desk: MailDesk;
  readonly #sandbox: Sandbox;
  readonly #home: string;

  private constructor(bench: Bench, sandbox: Sandbox, home: string, ingressUrl: string | undefined) {
    this.bench = bench;
    this.#sandbox = sandbox;
    this.#home = home;
    const adapter = new SmtpImapAdapter({ settleAfterMs: SETTLE_AFTER_MS });
    this.desk = { providers: () => Promise.resolve(adapter), sealer: new Sealer('k'.repeat(40)), ingressUrl };
  }

  static async open(bench: Bench, ingressUrl?: string): Promise<MailStage> {
    const home = await mkdtemp(join(tmpdir(), 'outrider-mail-'));
    const sandbox = await startSandbox({ clock: bench.clock, home, seed: 'mail-nodes', apiKey: PASSWORD });
    return new MailStage(bench, sandbox, home, ingressUrl);
  }

  /** The sandbox as executors of a home know it. */
  get sandbox(): { url: string; apiKey: string } {
    return { url: this.#sandbox.url, apiKey: PASSWORD };
  }

  async close(): Promise<void> {
    await this.#sandbox.stop();
    await rm(this.#home, { recursive: true, force: true });
  }

  control<T>(path: string, body?: object): Promise<T> {
    return sandboxControl<T>(this.#sandbox.url, path, body);
  }

  /** Mails that the servers took from this mailbox. */
  async received(at: Pick<MailPlace, 'address'>): Promise<Received[]> {
    return (await this.control<Received[]>('received')).filter((one) => one.accountId === at.address);
  }

  /** Does nothing about mails unless told. */
  async person(behaviour: object = {}, address = `p-${randomUUID().slice(0, 8)}@acme.example`): Promise<string> {
    await this.control('mail-people', { address, behaviour: { ...QUIET, ...behaviour } });
    return address;
  }

  mailbox(workspaceId: string, more: { savesSent?: boolean; limit?: number; domain?: string } = {}): Promise<string> {
    const { app, clock } = this.bench;
    return addMailbox(app, workspaceId, {
      ...more,
      ...this.#sandbox.mail,
      sealed: (accountId) => this.desk.sealer?.seal(PASSWORD, mailboxOwner(accountId)) ?? Buffer.alloc(0),
      now: clock.now(),
    });
  }

  async place(
    graph: GraphInput,
    settings: object = {},
    box: Parameters<MailStage['mailbox']>[1] = {},
  ): Promise<MailPlace> {
    const { bench } = this;
    const ws = await addWorkspace(bench.app);
    const camp = await addCampaign(bench.app, ws, { ...NO_GAP, businessHours: ALWAYS, ...settings });
    const flow = await addWorkflow(bench.app, ws, camp, graph);
    const account = await this.mailbox(ws, box);
    const network = new FakeNetwork();
    const handle = await openEngine(bench, ws, network, { mail: this.desk });
    return { ws, camp, flow, box: account, address: mailAddress(account, box?.domain), network, handle };
  }

  lead(at: Pick<MailPlace, 'ws'>, email: string | null): Promise<string> {
    return addLead(this.bench.app, at.ws, { email });
  }

  /** One round of sync of the mailbox, after the people did what was due. */
  async sync(at: Pick<MailPlace, 'box'>, desk = this.desk): Promise<void> {
    const { bench } = this;
    this.#sandbox.tick();
    const claim = await takeClaim(bench, at.box, 'accounts', 'account');
    const log = createLogger('test', 'silent');
    await syncMailbox({ claim, clock: bench.clock, mail: desk, newId: randomUUID, log });
    await claim.release();
  }
}
