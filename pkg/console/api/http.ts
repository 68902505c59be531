/** What the console asks of its own server, and how it is told that something went wrong. */

/** Why something was not done: as the server words it, or `away` where no answer came. */
export type FailureKind = 'refused' | 'limited' | 'denied' | 'fault' | 'away' | 'signed-out' | 'somebody-else';

/** An answer that is none. Its message is for people. */
export class Failure extends Error {
  readonly kind: FailureKind;
  /** Seconds until it is worth trying again, where the server says so. */
  readonly retryAfter: number | undefined;
  /** What the server sent beside the text. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor(kind: FailureKind, message: string, body: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.kind = kind;
    this.body = body;
    const { retryAfter } = body;
    this.retryAfter = typeof retryAfter === 'number' ? retryAfter : undefined;
  }

  /** Whether the same again may go well: nothing says that it was refused. */
  get mayPass(): boolean {
    return this.kind === 'fault' || this.kind === 'away' || this.kind === 'limited';
  }
}

/** What was thrown, as people are told of it. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure('fault', error instanceof Error ? error.message : 'Something went wrong in this page.');
}

const API = '/console/api/';
/** Longer than the server takes for a text of a language model. */
const PATIENCE_MS = 120_000;

const KINDS: readonly string[] = ['refused', 'limited', 'denied', 'fault', 'somebody-else'];

/** Whom this page shows as signed in: the server does nothing for it once somebody else is. Null: nobody was yet. */
export const actsAs: { userId: string | null } = { userId: null };

async function ask(path: string, init: RequestInit, signal?: AbortSignal, patienceMs = PATIENCE_MS): Promise<unknown> {
  const signals = [AbortSignal.timeout(patienceMs), ...(signal ? [signal] : [])];
  let response: Response;
  try {
    response = await fetch(`${API}${path}`, { ...init, credentials: 'same-origin', signal: AbortSignal.any(signals) });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Failure('away', 'The server did not answer. The connection may be down.');
  }
  const body = await bodyOf(response);
  if (response.ok) return body;
  throw failureFrom(response.status, body);
}

async function bodyOf(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text().catch(() => '');
  if (text === '') return {};
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed !== null && typeof parsed === 'object' ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function failureFrom(status: number, body: Record<string, unknown>): Failure {
  const { error, kind } = body;
  const text =
    typeof error === 'string' && error !== '' ? forPeople(error) : `The server answered with status ${status}.`;
  if (status === 401) return new Failure('signed-out', text, body);
  if (typeof kind === 'string' && KINDS.includes(kind)) return new Failure(kind as FailureKind, text, body);
  if (status === 403) return new Failure('denied', text, body);
  if (status === 429) return new Failure('limited', text, body);
  return new Failure(status >= 500 ? 'fault' : 'refused', text, body);
}

/** Texts of tools say which tool comes next: sentences for models, which people need not read. */
function forPeople(text: string): string {
  const sentences = text.split(/(?<=[.!?])\s+/).filter((sentence) => !/\bsvc_\w/.test(sentence));
  return sentences.length === 0 ? text : sentences.join(' ');
}

/** Reads. @throws Failure */
export function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return ask(path, { headers: { accept: 'application/json' } }, signal) as Promise<T>;
}

export interface PostOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds to wait for the answer. */
  patienceMs?: number | undefined;
  /** As whom. Default: whom the page shows as signed in. */
  userId?: string | null | undefined;
}

/** Everything that may change something says by its headers that a page of ours sent it, and for whom. @throws Failure */
export function post<T>(path: string, body: object = {}, options: PostOptions = {}): Promise<T> {
  const { signal, patienceMs, userId = actsAs.userId } = options;
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    'x-outrider-console': '1',
    ...(userId === null ? {} : { 'x-outrider-user': userId }),
  };
  return ask(path, { method: 'POST', headers, body: JSON.stringify(body) }, signal, patienceMs) as Promise<T>;
}
