import type { ServerResponse } from 'node:http';
import type { Gauge } from 'prom-client';
import { every, monotonicMs } from '../../base/clock.ts';
import { HttpError } from '../../base/http/http-error.ts';
import type { Logger } from '../../base/log.ts';
import { EVENT_DEFINITIONS } from '../../events/event-definitions.ts';
import type { Database, Tx } from '../../postgres/database.ts';
import { eventHeads, eventsAfter, type StoredEvent } from '../../store/events/read-events.ts';
import type { Caller } from '../../tools/tool-context.ts';
import type { McpExchange } from '../exchange.ts';
import { openStream } from '../http-io.ts';
import { limitAllows } from '../within-roles.ts';
import type { ConsoleSessions, OpenSession } from './console-sessions.ts';

/** Real ms between looks: one for all streams of this server. */
const ROUND_MS = 1_000;
/** Real ms after which a comment tells proxies that the stream lives. */
const COMMENT_MS = 25_000;
/** Real ms for which it may go unnoticed that a session ended, where nothing happens. */
const CHECK_MS = 5_000;
/** Streams of a user, and of this server. */
const MOST_OF_USER = 16;
const MOST = 2_000;
/** Events that are read for a workspace in a round; who is further behind reads everything anew. */
const MOST_EVENTS = 500;
/** Ids that one message names. */
const MOST_IDS = 100;
/** Bytes that wait for a browser that does not read; then its stream is cut. */
const MOST_UNREAD = 1024 * 1024;

/** What a page is told: the records that changed, which it reads again. */
interface Change {
  /** Of the event; `reset`: too much happened, read everything again. */
  kind: string;
  recordType: string;
  /** Empty where too many changed to be named. */
  ids: string[];
}

interface Stream {
  workspaceId: string;
  token: string;
  userId: string;
  response: ServerResponse;
  /** Number of the last event that was told. */
  position: number;
  /** Monotonic ms. */
  checkedAt: number;
  writtenAt: number;
}

/** What a round tells those who look at a workspace. */
interface Telling {
  workspaceId: string;
  streams: readonly Stream[];
  /** The number of its newest event. */
  head: number;
  peek: ConsoleSessions['peek'];
}

export interface ConsoleEventsOptions {
  db: Database;
  log: Logger;
  sessions: Pick<ConsoleSessions, 'peek'>;
  gauge: Gauge;
}

/**
 * Tells open pages what happened in their workspace, by the numbers of its events, so that a page that was away misses nothing. It looks
 * at the database: it does not matter which process did what.
 */
export class ConsoleEvents {
  readonly #options: ConsoleEventsOptions;
  readonly #streams = new Set<Stream>();
  #stopRounds: (() => void) | undefined;

  constructor(options: ConsoleEventsOptions) {
    this.#options = options;
  }

  /** Opens a stream, which goes on behind the number that its client heard last. @throws HttpError 400, 403, 429 */
  async open({ request, response }: McpExchange, session: OpenSession): Promise<void> {
    const { searchParams } = new URL(request.url ?? '', 'http://console');
    const workspaceId = searchParams.get('workspaceId') ?? '';
    if (!session.authenticated.caller.workspaces.some((one) => one.workspaceId === workspaceId))
      throw new HttpError(403, 'You are no member of this workspace, or none is named: ?workspaceId=….');
    this.#requireRoom(session.userId);
    const head = (await this.#heads([workspaceId])).get(workspaceId) ?? 0;
    const now = monotonicMs();
    const { token, userId } = session;
    const heard = heardBefore(request.headers['last-event-id'] ?? searchParams.get('after') ?? undefined);
    const position = heard === undefined ? head : Math.min(heard, head);
    const stream: Stream = { workspaceId, token, userId, response, position, checkedAt: now, writtenAt: now };
    // Others may have come meanwhile, and this one may have gone.
    this.#requireRoom(session.userId);
    if (response.destroyed) return;
    openStream(response);
    this.#add(stream);
    // A client that comes back begins here, though nothing happened before it went.
    response.write(`id: ${position}\n\n`);
    if (head - position > MOST_EVENTS) this.#reset(stream, head);
  }

  /** Ends all streams. */
  stop(): void {
    for (const { response } of this.#streams) response.end();
  }

  #requireRoom(userId: string): void {
    const own = [...this.#streams].filter((stream) => stream.userId === userId).length;
    if (own < MOST_OF_USER && this.#streams.size < MOST) return;
    throw new HttpError(429, `At most ${MOST_OF_USER} event streams per user. Close some pages.`, {
      'retry-after': '30',
    });
  }

  #add(stream: Stream): void {
    const { gauge } = this.#options;
    this.#streams.add(stream);
    gauge.inc();
    this.#stopRounds ??= every(ROUND_MS, () => this.#round());
    stream.response.once('close', () => {
      this.#streams.delete(stream);
      gauge.dec();
      if (this.#streams.size > 0) return;
      this.#stopRounds?.();
      this.#stopRounds = undefined;
    });
  }

  async #round(): Promise<void> {
    try {
      const byWorkspace = Map.groupBy(this.#streams, ({ workspaceId }) => workspaceId);
      const heads = await this.#heads([...byWorkspace.keys()]);
      const peek = this.#peekOnce();
      for (const [workspaceId, streams] of byWorkspace)
        await this.#tell({ workspaceId, streams, head: heads.get(workspaceId) ?? 0, peek });
    } catch (error) {
      // The next round looks again, from where each stream stands.
      this.#options.log.warn({ err: error }, 'pages of the console could not be told what happened');
    }
  }

  /** The sessions of one round: that of several tabs is read once. */
  #peekOnce(): ConsoleSessions['peek'] {
    const peeked = new Map<string, ReturnType<ConsoleSessions['peek']>>();
    return (token) => {
      const session = peeked.get(token) ?? this.#options.sessions.peek(token);
      peeked.set(token, session);
      return session;
    };
  }

  async #tell({ workspaceId, streams, head, peek }: Telling): Promise<void> {
    const after = Math.min(...streams.map(({ position }) => position));
    const asked = { workspaceId, number: after, limit: MOST_EVENTS };
    const read = (tx: Tx): ReturnType<typeof eventsAfter> => eventsAfter(tx, asked);
    const { events, last = head } = after < head ? await this.#platform(read) : { events: [] };
    for (const stream of streams) await this.#tellStream(stream, events, last, peek);
  }

  async #tellStream(
    stream: Stream,
    events: readonly StoredEvent[],
    last: number,
    peek: ConsoleSessions['peek'],
  ): Promise<void> {
    const news = events.filter(({ number }) => number > stream.position);
    const now = monotonicMs();
    if (news.length === 0 && now - stream.checkedAt < CHECK_MS) {
      stream.position = Math.max(stream.position, last);
      return this.#comment(stream, now);
    }
    const session = await peek(stream.token);
    const caller = session?.authenticated.caller;
    if (!caller?.workspaces.some((one) => one.workspaceId === stream.workspaceId)) {
      stream.response.end();
      return;
    }
    stream.checkedAt = now;
    const changes = changesOf(news.filter((event) => mayHear(caller, event)));
    stream.position = Math.max(stream.position, last);
    if (changes.length === 0) return this.#comment(stream, now);
    // The number comes with the last one: a client that goes in between hears all of them again.
    const texts = changes.map((change) => `event: change\ndata: ${JSON.stringify(change)}\n\n`);
    const first = texts.slice(0, -1).join('');
    this.#write(stream, `${first}id: ${stream.position}\n${texts.at(-1)}`, now);
  }

  #reset(stream: Stream, head: number): void {
    stream.position = head;
    const change: Change = { kind: 'reset', recordType: '*', ids: [] };
    this.#write(stream, `id: ${head}\nevent: change\ndata: ${JSON.stringify(change)}\n\n`, monotonicMs());
  }

  #comment(stream: Stream, now: number): void {
    if (now - stream.writtenAt >= COMMENT_MS) this.#write(stream, ': here\n\n', now);
  }

  #write(stream: Stream, text: string, now: number): void {
    const { response } = stream;
    if (response.writableEnded || response.destroyed) return;
    if (response.writableLength > MOST_UNREAD) {
      response.destroy();
      return;
    }
    stream.writtenAt = now;
    response.write(text);
  }

  #heads(workspaces: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.#platform((tx) => eventHeads(tx, workspaces));
  }

  #platform<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#options.db.read({ kind: 'platform' }, work);
  }
}

function heardBefore(id: string | string[] | undefined): number | undefined {
  return typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

/** An event of a newer program has no definition here: its page reads again without knowing what it was. */
function mayHear({ scopes, workspaces }: Caller, { kind, workspaceId }: StoredEvent): boolean {
  const scope = EVENT_DEFINITIONS[kind]?.scope;
  const own = workspaces.find((one) => one.workspaceId === workspaceId);
  return scope !== undefined && scopes.has(scope) && own !== undefined && limitAllows(own, { scope });
}

/** One change for each kind, with all that it names. */
function changesOf(events: readonly StoredEvent[]): Change[] {
  return [...Map.groupBy(events, ({ kind }) => kind)].map(([kind, same]) => {
    const ids = [...new Set(same.flatMap(idsOf))];
    return { kind, recordType: kind.split('.')[0] ?? kind, ids: ids.length > MOST_IDS ? [] : ids };
  });
}

function idsOf({ data, runId, leadId, workflowId, campaignId }: StoredEvent): string[] {
  const named = Object.entries(data).flatMap(([field, value]) => (/Ids?$/.test(field) ? [value].flat() : []));
  return [...named, runId, leadId, workflowId, campaignId].filter(
    (id) => typeof id === 'string' && id !== '',
  ) as string[];
}
