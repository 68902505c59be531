import { monotonicMs, sleepReal } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { Logger } from '../base/log.ts';
import type { Database } from '../postgres/database.ts';
import { type AuditLink, type AuditRecord, insertAnchor, insertLinks, linkHash } from '../store/audit/audit.ts';
import { MembersSeen } from '../store/tenancy/members-seen.ts';
import type { Gathered } from './limited-calls.ts';

const BATCH_MS = 250;
const BATCH_RECORDS = 500;
/** Milliseconds between anchors of a chain that grows. */
const ANCHOR_MS = 10_000;
/** Records that wait while Postgres does not answer; what comes after is counted and shows as a gap. */
const MAX_WAITING = 50_000;
const RETRY_MS = 500;
/** Tries after which it is said again that records wait: about a minute. */
const TOLD_EVERY = 120;

/** Counts calls between two batches. */
interface Gathering {
  take(): Gathered;
}

/**
 * The audit chain of this process: records wait in memory for a quarter of a second, are linked and written in one
 * statement. A crash loses at most what waited, and shows: its chain is never closed.
 */
export class AuditLog {
  readonly #db: Database;
  readonly #ids: Ids;
  readonly #log: Logger;
  readonly #limited: Gathering;
  readonly #onLost: (count: number) => void;
  readonly #seen: MembersSeen;
  readonly #chain: string;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #waiting: AuditRecord[] = [];
  #wake: () => void = () => undefined;
  #position = 0;
  #head = '';
  /** What Postgres has for certain. */
  #written = { position: 0, head: '' };
  #dropped = 0;
  #anchored = { position: 0, at: monotonicMs() };

  /**
   * @param limited asked for each batch
   * @param onLost hears how many more records the log lacks for good
   */
  constructor(
    db: Database,
    ids: Ids,
    log: Logger,
    limited: Gathering = { take: () => ({ records: [], lost: 0 }) },
    onLost: (count: number) => void = () => undefined,
  ) {
    this.#db = db;
    this.#ids = ids;
    this.#log = log;
    this.#limited = limited;
    this.#onLost = onLost;
    this.#seen = new MembersSeen(db);
    this.#chain = ids.uuid();
    this.#running = this.#run();
  }

  append(record: AuditRecord): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#lose(1);
      return;
    }
    this.#waiting.push(record);
    if (this.#waiting.length >= BATCH_RECORDS) this.#wake();
  }

  /** Writes what waits, and the end of the chain; one that lacks its last records stays without an end. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#wake();
    await this.#running;
    const whole = this.#written.position === this.#position && this.#waiting.length === 0;
    if (this.#written.position > 0) await this.#anchor(whole);
  }

  async #run(): Promise<void> {
    for (;;) {
      const ending = this.#stop.signal.aborted;
      if (this.#waiting.length < BATCH_RECORDS && !ending) await this.#pause(BATCH_MS);
      if (this.#waiting.length < MAX_WAITING) this.#take(this.#limited.take());
      const some = this.#waiting.length > 0 || this.#dropped > 0;
      if (some && !(await this.#write(this.#waiting.splice(0, BATCH_RECORDS)))) return;
      if (ending && this.#waiting.length === 0 && this.#dropped === 0) return;
      if (this.#written.position > this.#anchored.position && monotonicMs() - this.#anchored.at >= ANCHOR_MS)
        await this.#anchor(false).catch(() => undefined);
    }
  }

  #take({ records, lost }: Gathered): void {
    this.#waiting.push(...records);
    if (lost > 0) this.#lose(lost);
  }

  #lose(count: number): void {
    this.#dropped += count;
    this.#onLost(count);
  }

  /** Sleeps until the time is over, a batch is full, or the log closes. */
  async #pause(ms: number): Promise<void> {
    const early = new AbortController();
    this.#wake = () => early.abort();
    if (this.#waiting.length >= BATCH_RECORDS) return;
    await sleepReal(ms, early.signal).catch(() => undefined);
    this.#wake = () => undefined;
  }

  /** Tries until they are written. @returns false when the process has to end without */
  async #write(records: AuditRecord[]): Promise<boolean> {
    const links = this.#link(records);
    for (let attempt = 1; ; attempt++) {
      try {
        await insertLinks(this.#db, links);
        this.#written = { position: this.#position, head: this.#head };
        // Nothing of the log rests on it: the next call says it again.
        await this.#seen.keep(links).catch((error: unknown) => {
          this.#log.warn({ err: error }, 'when members were last seen could not be kept');
        });
        return true;
      } catch (error) {
        // Of the gap alone nothing could be left out: if Postgres does not take even that, it is no matter of one record.
        if (isUnwritable(error) && records.some(({ outcome }) => outcome !== 'gap'))
          return this.#writeApart(records, error);
        if (attempt % TOLD_EVERY === 1)
          this.#log.error({ err: error }, 'audit records wait: they could not be written');
        if (this.#stop.signal.aborted && attempt >= 3) return false;
        await sleepReal(RETRY_MS);
      }
    }
  }

  /** Nothing of a batch was written, for a value that Postgres never takes: halves are, until whatever holds it is alone and lost. */
  async #writeApart(records: AuditRecord[], error: unknown): Promise<boolean> {
    ({ position: this.#position, head: this.#head } = this.#written);
    const [first, second] = records;
    if (first && !second) {
      const { id, tool, requestId } = first;
      this.#log.error(
        { err: error, id, tool, requestId },
        'an audit record can not be written: the log has a gap instead',
      );
      this.#lose(1);
      return true;
    }
    const middle = records.length >> 1;
    return (await this.#write(records.slice(0, middle))) && (await this.#write(records.slice(middle)));
  }

  #link(records: AuditRecord[]): AuditLink[] {
    if (this.#dropped > 0) records.push(this.#gap());
    return records.map((record) => {
      const previousHash = this.#head;
      const position = ++this.#position;
      this.#head = linkHash(previousHash, this.#chain, position, record);
      return { ...record, chain: this.#chain, position, previousHash, hash: this.#head };
    });
  }

  #gap(): AuditRecord {
    const recordIds = [`${this.#dropped} records lost`];
    this.#dropped = 0;
    const nobody = { actorKind: 'server', actorId: this.#chain, keyPrefix: '', tool: '', workspaceId: null };
    const rest = { outcome: 'gap', calls: 1, durationUs: 0, inputHash: '', requestId: '' } as const;
    return { id: this.#ids.uuid(), at: 0, ...nobody, ...rest, recordIds };
  }

  async #anchor(closed: boolean): Promise<void> {
    const { position, head } = this.#written;
    await insertAnchor(this.#db, { chain: this.#chain, position, head, closed });
    this.#anchored = { position, at: monotonicMs() };
  }
}

/** Whether Postgres refuses a statement for a value in it, however often it is tried. Source: PostgreSQL, Appendix A, classes 22, 23 and 54. */
function isUnwritable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(?:22|23|54)/.test(String(error.code));
}
