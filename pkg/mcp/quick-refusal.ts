import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { McpMetrics } from '../metrics/mcp-metrics.ts';
import type { AnyTool } from '../tools/tool.ts';
import { refusalText } from './admit-call.ts';
import type { Authenticator, Remembered } from './authentication.ts';
import type { LimitedCalls } from './limited-calls.ts';
import { type RateLimits, retrySeconds } from './limits.ts';
import { RefusalBytes } from './refusal-bytes.ts';
import type { RefusalMemory } from './refusal-memory.ts';
import { checkContentHeaders, checkVersionHeader } from './request-checks.ts';
import { parseMessage, type RpcMessage, STATELESS_VERSION } from './rpc.ts';
import type { SessionTokens } from './session-token.ts';
import { Shortcut } from './shortcut.ts';
import { checkStatelessRequest } from './stateless/check-request.ts';
import { isStateless } from './stateless/era.ts';
import { statelessResult } from './stateless/results.ts';

/** Bodies of calls that are worth the short way; a longer one is parsed on the long one. */
const MAX_BYTES = 4_096;

export interface QuickRefusalOptions {
  authenticator: Authenticator;
  limiter: RefusalMemory;
  sessions: SessionTokens;
  tools: ReadonlyMap<string, AnyTool>;
  metrics: McpMetrics;
  /** Of this server. */
  version: string;
  limited: LimitedCalls;
  /** Milliseconds for which an idle connection stays open. */
  keepAliveMs: number;
  /** Whether the server takes requests as ever; one that stops says so in its answers. */
  serving: () => boolean;
  /** Judges Host and Origin. @throws HttpError 403 */
  checkHost: (request: IncomingMessage) => void;
  /** Seconds since the epoch, real time. */
  now: () => number;
}

/** A caller whose calls may be refused from memory. */
interface Flooder {
  key: Remembered;
  headers: IncomingHttpHeaders;
  /** The session's token; undefined in the version without sessions. */
  token: string | undefined;
  /** Bytes of the body. */
  length: number;
}

/** The connection of a flooder. */
interface Connection {
  /** The last headers that were judged well: the same ones need no second judgement of what they say. */
  headers: readonly string[];
  flooder: Flooder;
  /** For the calls after the first that was refused. */
  shortcut?: Shortcut | undefined;
}

/** What a refused call is answered with. */
interface Refusal {
  text: string;
  retrySeconds: number;
}

/**
 * The short way of a flood: a call of a session whose key is known and over its limit is refused with hardly more than
 * HTTP itself costs, or less where it comes over a connection on which such a call was refused before. It judges what the
 * long way judges and answers the same bytes; whatever is not plainly such a call takes the long way.
 */
export class QuickRefusal {
  readonly #options: QuickRefusalOptions;
  readonly #connections = new WeakMap<Socket, Connection>();
  readonly #bytes: RefusalBytes;
  readonly #rejected: Record<keyof RateLimits, { inc(): void }>;
  /** What a result of the version without sessions begins with. */
  readonly #stateless: string;

  constructor(options: QuickRefusalOptions) {
    this.#options = options;
    this.#bytes = new RefusalBytes(options.keepAliveMs, options.now);
    const counting = (category: keyof RateLimits): { inc(): void } => options.metrics.rejections.labels({ category });
    const [read, write, llm, overall] = [counting('read'), counting('write'), counting('llm'), counting('overall')];
    this.#rejected = { read, write, llm, overall };
    this.#stateless = `${statelessResult('tools/call', '{}', options.version).slice(0, -1)},`;
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
      const refusal = this.#refuse(flooder, body);
      if (!refusal) return otherwise(body);
      this.#bytes.send(response, refusal.text, refusal.retrySeconds);
      this.#shorten(request, response, flooder);
    });
    return true;
  }

  /** Who calls, when it is one whose calls may be refused from memory. What changes with time is asked each time. */
  #flooder(request: IncomingMessage): Flooder | undefined {
    if (!this.#options.limiter.remembers || request.method !== 'POST' || request.url !== '/mcp') return undefined;
    const connection = this.#connections.get(request.socket);
    if (connection && equal(connection.headers, request.rawHeaders) && this.#holds(connection.flooder))
      return connection.flooder;
    const flooder = this.#judge(request);
    if (!flooder || !this.#holds(flooder)) return undefined;
    this.#connections.set(request.socket, { ...connection, headers: request.rawHeaders, flooder });
    return flooder;
  }

  /** Whether what changes with time is still as it was when the headers were judged. */
  #holds({ key, token }: Flooder): boolean {
    const { limiter, authenticator, sessions, now } = this.#options;
    const { keyId } = key.found.caller;
    if (!authenticator.stillKnown(key) || !limiter.knows(keyId)) return false;
    return token === undefined || sessions.open(token, now())?.session.keyId === keyId;
  }

  /** What the headers alone say. @throws HttpError for what the long way refuses */
  #judge(request: IncomingMessage): Flooder | undefined {
    const { headers } = request;
    this.#options.checkHost(request);
    checkContentHeaders(request);
    const stateless = headers['mcp-protocol-version'] === STATELESS_VERSION;
    if (!stateless) checkVersionHeader(request);
    const token = stateless ? undefined : headers['mcp-session-id'];
    if (headers['x-runner-secret'] !== undefined || !(stateless || typeof token === 'string')) return undefined;
    const key = this.#options.authenticator.remembered(headers);
    const length = Number(headers['content-length']);
    return key && length > 0 && length <= MAX_BYTES
      ? { key, headers, token: token as string | undefined, length }
      : undefined;
  }

  /** @returns undefined when the body is no single call that is known to be refused */
  #refuse(flooder: Flooder, body: string): Refusal | undefined {
    const { limiter, tools, limited } = this.#options;
    const { caller, limits } = flooder.key.found;
    const message = messageOf(body, flooder);
    if (message?.method !== 'tools/call' || message.notification) return undefined;
    const tool = tools.get(message.params['name'] as string);
    const answer = tool && limiter.known(caller.keyId, tool.category, limits);
    if (!answer) return undefined;
    this.#rejected[answer.refused ?? 'overall'].inc();
    limited.add(caller, tool, message.params['arguments']);
    const said = refusalText(tool, answer, limits);
    const begin = flooder.token === undefined ? this.#stateless : '{';
    const result = `${begin}"content":[{"type":"text","text":"${said}"}],"isError":true}`;
    const text = `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`;
    return { text, retrySeconds: retrySeconds(answer.retryMs) };
  }

  /** The next call with this head is answered without HTTP. */
  #shorten(request: IncomingMessage, response: ServerResponse, flooder: Flooder): void {
    const connection = this.#connections.get(request.socket);
    if (!connection) return;
    connection.shortcut ??= Shortcut.on(request.socket);
    connection.shortcut?.learn(request, response, flooder.length, (body) => {
      if (!this.#options.serving() || !this.#holds(flooder)) return undefined;
      const refusal = this.#refuse(flooder, body);
      return refusal && this.#bytes.of(refusal.text, refusal.retrySeconds);
    });
  }
}

function equal(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  for (let place = 0; place < one.length; place++) if (one[place] !== other[place]) return false;
  return true;
}

/** The message of a body; undefined for what the long way has something to say of. */
function messageOf(body: string, { headers, token }: Flooder): RpcMessage | undefined {
  try {
    const message = parseMessage(JSON.parse(body));
    if (isStateless(headers, message) !== (token === undefined)) return undefined;
    if (token === undefined) checkStatelessRequest(headers, message);
    return message;
  } catch {
    return undefined;
  }
}
