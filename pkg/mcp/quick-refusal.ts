import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { McpMetrics } from '../metrics/mcp-metrics.ts';
import type { AnyTool } from '../tools/tool.ts';
import { refusalOf } from './admit-call.ts';
import type { Authenticated, Authenticator, Remembered } from './authentication.ts';
import type { RefusalMemory } from './refusal-memory.ts';
import { parseMessage, SESSION_VERSIONS } from './rpc.ts';
import type { SessionTokens } from './session-token.ts';

/** Bodies of calls that are worth the short way; a longer one is parsed on the long one. */
const MAX_BYTES = 4_096;

export interface QuickRefusalOptions {
  authenticator: Authenticator;
  limiter: RefusalMemory;
  sessions: SessionTokens;
  tools: ReadonlyMap<string, AnyTool>;
  metrics: McpMetrics;
  /** Judges Host and Origin. @throws HttpError 403 */
  checkHost: (request: IncomingMessage) => void;
  /** Seconds since the epoch, real time. */
  now: () => number;
}

/** A caller whose calls may be refused from memory. */
interface Flooder {
  key: Remembered;
  /** The session's token. */
  token: string;
  /** Bytes of the body. */
  length: number;
}

/**
 * The short way of a flood: a call of a session whose key is known and over its limit is refused with hardly more than
 * HTTP itself costs. It judges what the long way judges and answers the same bytes; whatever is not plainly such a call
 * takes the long way.
 */
export class QuickRefusal {
  readonly #options: QuickRefusalOptions;
  /** The last headers of a connection that were judged well: the same ones need no second judgement of what they say. */
  readonly #judged = new WeakMap<Socket, { headers: readonly string[]; flooder: Flooder }>();

  constructor(options: QuickRefusalOptions) {
    this.#options = options;
  }

  /**
   * @param otherwise gets the body of one that was no such call
   * @returns false when it was not taken, and nothing of it was read
   */
  take(request: IncomingMessage, response: ServerResponse, otherwise: (body: string) => void): boolean {
    const flooder = this.#flooder(request);
    if (!flooder) return false;
    const chunks: Buffer[] = [];
    let missing = flooder.length;
    request.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      missing -= chunk.length;
      if (missing > 0) return;
      const body = (chunks.length === 1 ? chunk : Buffer.concat(chunks)).toString();
      if (!this.#refuse(flooder.key.found, response, body)) otherwise(body);
    });
    return true;
  }

  /** Who calls, when it is one whose calls may be refused from memory. What changes with time is asked each time. */
  #flooder(request: IncomingMessage): Flooder | undefined {
    const { limiter, authenticator, sessions, now } = this.#options;
    if (!limiter.remembers || request.method !== 'POST' || request.url !== '/mcp') return undefined;
    const judged = this.#judged.get(request.socket);
    const same =
      judged !== undefined && equal(judged.headers, request.rawHeaders) && authenticator.stillKnown(judged.flooder.key);
    const flooder = same ? judged.flooder : this.#judge(request);
    if (!flooder || !(same || authenticator.stillKnown(flooder.key))) return undefined;
    const { keyId } = flooder.key.found.caller;
    if (!limiter.knows(keyId) || sessions.open(flooder.token, now())?.session.keyId !== keyId) return undefined;
    if (!same) this.#judged.set(request.socket, { headers: request.rawHeaders, flooder });
    return flooder;
  }

  /** What the headers alone say. */
  #judge(request: IncomingMessage): Flooder | undefined {
    this.#options.checkHost(request);
    const { headers } = request;
    const { accept = '', 'content-type': type = '', 'mcp-session-id': token } = headers;
    const version = headers['mcp-protocol-version'];
    if (version !== undefined && !SESSION_VERSIONS.some((known) => known === version)) return undefined;
    if (headers['x-runner-secret'] !== undefined || typeof token !== 'string' || !type.startsWith('application/json'))
      return undefined;
    if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return undefined;
    const key = this.#options.authenticator.remembered(headers);
    const length = Number(headers['content-length']);
    return key && length > 0 && length <= MAX_BYTES ? { key, token, length } : undefined;
  }

  /** @returns false when the body is no single call that is known to be refused */
  #refuse(found: Authenticated, response: ServerResponse, body: string): boolean {
    const { limiter, tools, metrics } = this.#options;
    const message = messageOf(body);
    if (message?.method !== 'tools/call' || message.notification) return false;
    const tool = tools.get(message.params['name'] as string);
    const answer = tool && limiter.known(found.caller.keyId, tool.category, found.limits);
    if (!answer) return false;
    const { refused, retrySeconds } = refusalOf({ metrics }, tool, answer, found.limits, '');
    const text = `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":{"content":[{"type":"text","text":"${refused}"}],"isError":true}}`;
    // Node puts a text behind its headers into one write.
    response
      .writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
        'retry-after': String(retrySeconds),
      })
      .end(text);
    return true;
  }
}

function equal(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  for (let place = 0; place < one.length; place++) if (one[place] !== other[place]) return false;
  return true;
}

function messageOf(body: string): ReturnType<typeof parseMessage> | undefined {
  try {
    return parseMessage(JSON.parse(body));
  } catch {
    return undefined;
  }
}
