import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request as the handlers see it. */
export interface Call {
  method: string;
  /** Decoded path segments, without `/api/v1`. */
  path: string[];
  query: URLSearchParams;
  /** Parsed JSON, or the fields of a form (a repeated field is a list); undefined without a body. */
  body: unknown;
  /** The body as it came, for the one who checks a signature. */
  raw: string;
  headers: Readonly<Record<string, string>>;
  idempotencyKey: string | null;
  /** From when lists show what this request does; epoch ms real time, 0: at once. */
  visibleReal: number;
}

export interface Reply {
  status: number;
  body: object;
  /** Sent instead of the body, with its type. */
  text?: string;
  contentType?: string;
  retryAfterSeconds?: number;
  /** Where a redirect leads. */
  location?: string;
}

/** A refusal in Unipile's shape. `type` is what clients decide by. */
export class Refusal extends Error {
  readonly status: number;
  readonly type: string;

  constructor(status: number, type: string, detail: string) {
    super(detail);
    this.status = status;
    this.type = `errors/${type}`;
  }
}

/** Bytes of a request that are read at most, and of one with files. */
const MAX_BODY = 1024 * 1024;
const MAX_FORM = 16 * 1024 * 1024;

export function refusalReply(refusal: Refusal): Reply {
  const { status, type, message } = refusal;
  return {
    status,
    body: { status, type, title: type.replace('errors/', '').replaceAll('_', ' '), detail: message, instance: '' },
  };
}

/** @throws Refusal when the body is too large or unreadable */
export async function readCall(request: IncomingMessage, url: URL, prefix: number): Promise<Call> {
  const bytes = await readBody(request);
  const key = request.headers['idempotency-key'];
  return {
    method: request.method ?? 'GET',
    path: url.pathname
      .split('/')
      .slice(1 + prefix)
      .map(decode),
    query: url.searchParams,
    body: bytes.length === 0 ? undefined : await parseBody(bytes, request.headers['content-type'] ?? ''),
    raw: bytes.toString('utf8'),
    get headers() {
      return singleHeaders(request);
    },
    idempotencyKey: typeof key === 'string' ? key.slice(0, 200) : null,
    visibleReal: 0,
  };
}

/** Sends an answer unless the caller has gone. */
export function send(response: ServerResponse, reply: Reply): void {
  if (response.destroyed || response.writableEnded) return;
  const text = reply.text ?? JSON.stringify(reply.body);
  response.writeHead(reply.status, {
    'content-type': reply.contentType ?? 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...(reply.location === undefined ? {} : { location: reply.location }),
    ...(reply.retryAfterSeconds ? { 'retry-after': String(reply.retryAfterSeconds) } : {}),
  });
  response.end(text);
}

function singleHeaders(request: IncomingMessage): Record<string, string> {
  const single = Object.entries(request.headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value]] : [],
  );
  return Object.fromEntries(single);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  // RFC 9112 section 6.3: a request that tells neither has no body.
  const { 'content-length': length, 'transfer-encoding': encoding, 'content-type': type = '' } = request.headers;
  const most = type.startsWith('multipart/') ? MAX_FORM : MAX_BODY;
  if (length === undefined && encoding === undefined) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let size = 0;
  // The stream must outlive a refusal, or the caller would see a broken connection instead of it.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) {
      request.resume();
      throw new Refusal(413, 'content_too_large', 'the request is too large');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function parseBody(bytes: Buffer, type: string): Promise<unknown> {
  if (type.includes('xml')) return bytes.toString('utf8');
  try {
    if (!type.includes('form')) return JSON.parse(bytes.toString('utf8'));
    const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData();
    return Object.fromEntries([...new Set(form.keys())].map((name) => [name, single(form.getAll(name))]));
  } catch {
    throw new Refusal(400, 'invalid_parameters', 'the body can not be read');
  }
}

function single(values: unknown[]): unknown {
  return values.length === 1 ? values[0] : values;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Refusal(400, 'invalid_parameters', 'the path can not be read');
  }
}
