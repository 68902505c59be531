import type { ServerResponse } from 'node:http';
import { monotonicMs, sleepReal } from '../../base/clock.ts';
import type { Database, Tx } from '../../postgres/database.ts';
import type { Caller } from '../../tools/tool-context.ts';
import { sendEvent } from '../http-io.ts';
import { type EventLog, type LoggedEvent, parseEventId, type SessionKey, STANDING } from './event-log.ts';
import type { EventStreams } from './event-streams.ts';
import { SessionChanges } from './session-changes.ts';
import type { ResourceWatcher } from './watcher.ts';

/** How long a client that came back waits on its stream for the answer of a call that still runs (ms). */
const MAX_WAIT_MS = 120_000;
const LOOK_MS = 250;

/** What standing streams are made of. */
export interface SessionStreams {
  db: Database;
  streams: EventStreams;
  watcher: ResourceWatcher;
  log: EventLog;
}

export interface StandingRequest {
  session: SessionKey;
  /** Tells this stream from others of the session. */
  streamId: string;
  keyId: string;
  response: ServerResponse;
  lastEventId: string | undefined;
  /** Whether the version knows events without data: the stream then tells at once after which event it can be resumed. */
  primes: boolean;
  /** The caller with the rights of this moment. @throws HttpError when session or key are gone */
  caller: () => Promise<Caller>;
}

/**
 * A stream that GET opened. After Last-Event-ID of an answer's stream it sends the rest of that answer and ends;
 * otherwise it sends what was missed and stays, to tell which subscribed resources change.
 */
export async function keepStanding(
  { db, streams, watcher, log }: SessionStreams,
  request: StandingRequest,
): Promise<void> {
  const { session, response, caller } = request;
  const from = request.lastEventId === undefined ? undefined : parseEventId(request.lastEventId);
  await streams.keep(request.keyId, response, {
    opened: async (ended) => {
      if (from && from.stream !== STANDING) {
        // Beside the keep-alives, since the call may still run.
        resume(log, request, from, ended).catch(() => response.end());
        return;
      }
      const changes = new SessionChanges(db, session.hash, request.streamId);
      await changes.begin(ended);
      if (from) for (const event of await log.after(session, STANDING, from.seq)) send(response, STANDING, event);
      else if (request.primes) sendEvent(response, '', `${STANDING}.${await log.newest(session, STANDING)}`);
      const updated = async (uri: string, seen: string, version: string): Promise<void> => {
        const data = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } });
        const claim = (tx: Tx): Promise<boolean> => changes.claim(tx, { uri, seen, version });
        const seq = await log.append(session, STANDING, { data, last: false }, claim);
        if (seq !== undefined) send(response, STANDING, { seq, data, last: false });
      };
      const end = (): void => void response.end();
      watcher.add({ sessionHash: session.hash, wishes: new Map(), caller, updated, end }, ended);
    },
    allowed: caller,
  });
}

/** The rest of an answer, also when the call still runs, on whichever replica. */
async function resume(
  log: EventLog,
  { session, response }: StandingRequest,
  from: { stream: string; seq: number },
  ended: AbortSignal,
): Promise<void> {
  const giveUp = monotonicMs() + MAX_WAIT_MS;
  let { seq } = from;
  while (!ended.aborted && monotonicMs() < giveUp) {
    for (const event of await log.after(session, from.stream, seq)) {
      send(response, from.stream, event);
      seq = event.seq;
      if (event.last) response.end();
    }
    if (response.writableEnded) return;
    await sleepReal(LOOK_MS, ended).catch(() => undefined);
  }
  response.end();
}

function send(response: ServerResponse, stream: string, event: LoggedEvent): void {
  sendEvent(response, event.data, `${stream}.${event.seq}`);
}
