import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpMetrics } from '../metrics/mcp-metrics.ts';
import type { AnyTool } from '../tools/tool.ts';
import { refusalOf } from './admit-call.ts';
import type { Authenticated, Authenticator } from './authentication.ts';
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
  /** Seconds since the epoch, real time. */
  now: () => number;
}

/**
 * The short way of a flood: a call of a session whose key is known and over its limit is refused with hardly more than
 * HTTP itself costs. It judges what the long way judges and answers the same bytes; whatever is not plainly such a call
 * takes the long way.
 */
export class QuickRefusal {
  readonly #options: QuickRefusalOptions;

  constructor(options: QuickRefusalOptions) {
    this.#options = options;
  }

  /**
   * Takes a request whose Host and Origin were judged. @param otherwise gets the body of one that was no such call
   * @returns false when it was not taken, and nothing of it was read
   */
  take(request: IncomingMessage, response: ServerResponse, otherwise: (body: string) => void): boolean {
    const found = this.#flooding(request);
    const length = Number(request.headers['content-length']);
    if (!found || !(length > 0 && length <= MAX_BYTES)) return false;
    const chunks: Buffer[] = [];
    let missing = length;
    request.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      missing -= chunk.length;
      if (missing > 0) return;
      const body = (chunks.length === 1 ? chunk : Buffer.concat(chunks)).toString();
      if (!this.#refuse(found, response, body)) otherwise(body);
    });
    return true;
  }

  /** The caller, when it is one whose calls may be refused from memory. */
  #flooding({ method, url, headers }: IncomingMessage): Authenticated | undefined {
    const { limiter, authenticator, sessions, now } = this.#options;
    if (!limiter.remembers || method !== 'POST' || url !== '/mcp') return undefined;
    const { accept = '', 'content-type': type = '', 'mcp-session-id': token } = headers;
    const version = headers['mcp-protocol-version'];
    if (version !== undefined && !SESSION_VERSIONS.some((known) => known === version)) return undefined;
    if (headers['x-runner-secret'] !== undefined || typeof token !== 'string' || !type.startsWith('application/json'))
      return undefined;
    if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return undefined;
    const found = authenticator.remembered(headers);
    if (!found || !limiter.knows(found.caller.keyId)) return undefined;
    return sessions.open(token, now())?.session.keyId === found.caller.keyId ? found : undefined;
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

function messageOf(body: string): ReturnType<typeof parseMessage> | undefined {
  try {
    return parseMessage(JSON.parse(body));
  } catch {
    return undefined;
  }
}
