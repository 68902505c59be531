import { exchange, jsonOf, type OutsideAnswer, type OutsideRequest, refusalOf } from '../outside-http.ts';

export interface EnrichmentEndpoint {
  url: string;
  apiKey: string;
  /** Where its address may lead; absent: anywhere, as the operators' own. */
  reach?: 'public' | 'any';
}

/** One question to a provider of enrichment. */
export interface EnrichmentQuestion {
  method?: 'GET' | 'POST';
  /** Path and query, without a slash at its beginning. */
  path: string;
  /** The header that carries the key. */
  keyHeader?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | undefined;
  /** Statuses that say that it knows nobody. */
  nobody: readonly number[];
  /** Looks at each answer first: throws for statuses that mean something of their own to this provider. */
  before?: (answer: OutsideAnswer & { retryAfterMs?: number | undefined }) => void;
}

/** Real ms for one question. */
const TIMEOUT_MS = 20_000;

/**
 * Asks a provider of enrichment once.
 * @returns the JSON of its answer; undefined when it knows nobody
 * @throws CallError
 */
export async function askEnrichment(
  { url, apiKey, reach = 'any' }: EnrichmentEndpoint,
  question: EnrichmentQuestion,
  signal: AbortSignal,
): Promise<unknown> {
  const { method = 'GET', path, keyHeader = 'x-api-key', headers = {}, body, nobody, before } = question;
  const call: OutsideRequest = {
    method,
    url: `${url.replace(/\/+$/, '')}/${path}`,
    headers: { [keyHeader]: apiKey, accept: 'application/json', ...headers },
    body,
    timeoutMs: TIMEOUT_MS,
    signal,
    harmless: true,
    reach,
  };
  const answer = await exchange(call);
  before?.(answer);
  if (nobody.includes(answer.status)) return undefined;
  if (answer.status >= 300) throw refusalOf(call, answer);
  return jsonOf(answer, true);
}
