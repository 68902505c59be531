import type { IncomingMessage, ServerResponse } from 'node:http';

/** What pages of other origins may send to a face and read of its answers. Source: Fetch standard, CORS protocol. */
export interface CorsPolicy {
  methods: readonly string[];
  /** Request headers beyond those that every page may send. */
  headers: readonly string[];
  /** Families of request headers, by how their names begin. */
  families: readonly string[];
  /** Response headers that a page reads. */
  exposed: readonly string[];
}

/** Seconds for which a browser remembers a preflight; none remembers it for longer. */
const MAX_AGE = '7200';
/** Header names that a preflight may ask for. */
const MOST_ASKED = 50;

/**
 * Lets the page that asks read the answer, refusals too. The face judged its Origin before (see checkHost). No credentials
 * are allowed: a key is a header, which a page has to have.
 */
export function letPageRead(response: ServerResponse, origin: string, { exposed }: CorsPolicy): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', exposed.join(', '));
  response.setHeader('vary', 'Origin');
}

/** Answers OPTIONS: a browser's question before a request, and what a face takes at all. It does nothing and needs no key. */
export function answerOptions(request: IncomingMessage, response: ServerResponse, policy: CorsPolicy): void {
  const methods = policy.methods.join(', ');
  if (request.headers.origin === undefined) {
    response.writeHead(204, { allow: methods }).end();
    return;
  }
  const asked = request.headers['access-control-request-headers'] ?? '';
  const given = policy.families.length === 0 ? [] : inFamilies(asked, policy.families);
  const toLoopback = request.headers['access-control-request-private-network'] === 'true';
  response
    .writeHead(204, {
      'access-control-allow-methods': methods,
      'access-control-allow-headers': [...policy.headers, ...given].join(', '),
      'access-control-max-age': MAX_AGE,
      ...(toLoopback ? { 'access-control-allow-private-network': 'true' } : {}),
    })
    .end();
}

function inFamilies(asked: string, families: readonly string[]): string[] {
  const names = asked.split(',', MOST_ASKED).map((name) => name.trim().toLowerCase());
  return names.filter((name) => /^[a-z0-9-]+$/.test(name) && families.some((family) => name.startsWith(family)));
}
