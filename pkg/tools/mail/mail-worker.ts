import type { Clocks } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Ids } from '../../base/ids.ts';
import type { PeriodicJob } from '../../base/periodic.ts';
import {
  isSystemMailKind,
  renderSystemMail,
  SYSTEM_MAIL_KINDS,
  type SystemMailText,
} from '../../domain/system-mails/system-mail.ts';
import type { MailMetrics } from '../../metrics/mail-metrics.ts';
import type { Database, Tx } from '../../postgres/database.ts';
import type { SystemMailer, SystemMailSession } from '../../providers/mail/system-mailer.ts';
import { ProviderError } from '../../providers/network/network-provider.ts';
import {
  beginSending,
  type LeasedMail,
  leaseMail,
  type MailEnd,
  outboxLoad,
  retryMail,
  settleMail,
  sweepOutbox,
} from '../../store/mail-outbox/mail-outbox.ts';
import type { PostOffice } from './post-office.ts';
import { stillWanted } from './still-wanted.ts';

/** Real ms between looks for mails that are due, and for one mail. */
const POLL_MS = 1_000;
const WITHIN_MS = 90_000;
/** Real ms between rounds that end what nobody ends. */
const SWEEP_MS = 15_000;

export interface MailWorkerDeps {
  db: Pick<Database, 'tx'>;
  clocks: Clocks;
  ids: Ids;
  office: PostOffice;
  mailer: SystemMailer;
  metrics: MailMetrics;
}

/**
 * Sends what is in the outbox, one mail at a time; every replica of the server runs one. A mail is sent again only when it is proven
 * that the attempt before gave nothing away: what was lost on the way ends as unknown.
 */
export class MailWorker {
  readonly #deps: MailWorkerDeps;
  readonly #holder: string;

  constructor(deps: MailWorkerDeps) {
    this.#deps = deps;
    this.#holder = deps.ids.uuid();
  }

  /** What the server does again and again. */
  periodicJobs(): PeriodicJob[] {
    return [
      { name: 'system-mails', everyMs: POLL_MS, withinMs: WITHIN_MS, run: (signal) => this.next(signal) },
      { name: 'system-mails-upkeep', everyMs: SWEEP_MS, withinMs: SWEEP_MS, run: () => this.sweep() },
    ];
  }

  /** Tries the mail that has been due for longest. @returns whether there was one */
  async next(signal?: AbortSignal): Promise<boolean> {
    const mail = await this.#platform((tx) => leaseMail(tx, this.#holder, SYSTEM_MAIL_KINDS));
    if (!mail) return false;
    const text = await this.#textOf(mail);
    if (text !== undefined) await this.#deliver(mail, text, signal);
    return true;
  }

  /** Ends what nobody ends, and tells how much waits. */
  async sweep(): Promise<void> {
    const { clocks, metrics } = this.#deps;
    const swept = await this.#platform((tx) => sweepOutbox(tx, clocks.product.now()));
    for (const { kind, state, count } of swept) metrics.mails.inc({ kind, result: state }, count);
    const { waiting, oldestSeconds } = await this.#platform(outboxLoad);
    metrics.waiting.set(waiting);
    metrics.oldest.set(oldestSeconds);
  }

  /** Undefined: it does not leave, and its row says why. */
  async #textOf(mail: LeasedMail): Promise<SystemMailText | undefined> {
    const { office, clocks } = this.#deps;
    const { kind, sealed } = mail;
    if (!isSystemMailKind(kind)) throw new Error(`nobody here writes mails of the kind ${kind}`);
    let link = '';
    try {
      link = sealed === null ? '' : office.linkOf(mail.id, sealed);
    } catch (error) {
      await this.#end(mail, 'failed', messageOf(error));
      return undefined;
    }
    const leaving = { params: mail.params as never, link, now: clocks.product.now() };
    const params = await this.#platform((tx) => stillWanted(tx, kind, leaving));
    if (params === undefined) {
      await this.#end(mail, 'expired', 'what it tells of is over');
      return undefined;
    }
    return renderSystemMail(kind, params, link);
  }

  async #deliver(mail: LeasedMail, text: SystemMailText, signal: AbortSignal | undefined): Promise<void> {
    let session: SystemMailSession;
    try {
      session = await this.#deps.mailer.open(signal);
    } catch (error) {
      return this.#again(mail, messageOf(error));
    }
    try {
      if (!(await this.#platform((tx) => beginSending(tx, this.#holder, mail.id)))) return;
      const date = this.#deps.clocks.real.now();
      await session.send({ id: mail.id, kind: mail.kind, to: mail.recipient, ...text, date }, signal);
    } catch (error) {
      return await this.#failed(mail, error);
    } finally {
      session.close();
    }
    await this.#end(mail, 'sent', null);
  }

  #failed(mail: LeasedMail, error: unknown): Promise<void> {
    const kind = error instanceof ProviderError ? error.kind : 'unknown_outcome';
    if (kind === 'unknown_outcome') return this.#end(mail, 'unknown', messageOf(error));
    if (kind === 'rejected') return this.#end(mail, 'failed', messageOf(error));
    return this.#again(mail, messageOf(error));
  }

  async #again(mail: LeasedMail, error: string): Promise<void> {
    const now = this.#deps.clocks.product.now();
    const result = await this.#platform((tx) => retryMail(tx, this.#holder, mail, { error, now }));
    this.#deps.metrics.mails.inc({ kind: mail.kind, result });
  }

  async #end(mail: LeasedMail, state: MailEnd, error: string | null): Promise<void> {
    const now = this.#deps.clocks.product.now();
    await this.#platform((tx) => settleMail(tx, this.#holder, mail.id, { state, error, now }));
    this.#deps.metrics.mails.inc({ kind: mail.kind, result: state });
  }

  #platform<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#deps.db.tx({ kind: 'platform' }, work);
  }
}
