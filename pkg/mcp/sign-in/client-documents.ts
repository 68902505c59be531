import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { parseOutsideJson } from '../../base/usable-text.ts';
import { CallError } from '../../providers/call-error.ts';
import type { GuardedAnswer } from '../../providers/guarded-request.ts';
import type { OutsideRequest } from '../../providers/outside-http.ts';
import type { SignInClient } from '../../store/sign-in/clients.ts';
import { readMetadata } from './client-metadata.ts';
import { OAuthError } from './oauth-error.ts';

/** How the world outside is asked: by the guarded way, which goes to public addresses alone. */
export type AskOutside = (call: OutsideRequest) => Promise<GuardedAnswer>;

const LONGEST_URL = 500;
const LONGEST_DOCUMENT = 16_384;
const TIMEOUT_MS = 5_000;
const KEPT_MS = 600_000;
/** A document that could not be read is not asked for again at once. */
const FAILURE_KEPT_MS = 30_000;
const MOST_KEPT = 500;
/** Documents that are fetched at once, and by one person in a minute. */
const MOST_AT_ONCE = 8;
const MOST_PER_PERSON = 10;
const MINUTE_MS = 60_000;

/** The client says who it is at the address that is its id. Source: OAuth Client ID Metadata Document. */
const documentSchema = z.object({
  client_id: z.string(),
  client_secret: z.undefined().optional(),
  token_endpoint_auth_method: z.string().max(100).optional(),
});

/** Whether the id of a client is the address of its document. */
export function isDocumentId(clientId: string): boolean {
  return /^https?:/i.test(clientId);
}

/** Reads what clients say of themselves at an address of theirs; what was read is kept for ten minutes. */
export class ClientDocuments {
  readonly #ask: AskOutside;
  readonly #clock: Clock;
  readonly #kept = new Map<string, { until: number; found: SignInClient | OAuthError }>();
  readonly #running = new Map<string, Promise<SignInClient>>();
  #fetched = new Map<string, number>();
  #minute = 0;

  /** @param clock real time */
  constructor(ask: AskOutside, clock: Clock) {
    this.#ask = ask;
    this.#clock = clock;
  }

  /** @param personId who is signed in and brought it @throws OAuthError when there is no client by that id */
  async of(clientId: string, personId: string): Promise<SignInClient> {
    requireDocumentId(clientId);
    const kept = this.#kept.get(clientId);
    if (kept && kept.until > this.#clock.now()) {
      if (kept.found instanceof OAuthError) throw kept.found;
      return kept.found;
    }
    const running = this.#running.get(clientId);
    if (running) return running;
    this.#requireRoom(personId);
    const started = this.#fetch(clientId).finally(() => this.#running.delete(clientId));
    this.#running.set(clientId, started);
    return started;
  }

  async #fetch(clientId: string): Promise<SignInClient> {
    try {
      const found = await this.#read(clientId);
      this.#keep(clientId, found, KEPT_MS);
      return found;
    } catch (error) {
      const refused = error instanceof OAuthError ? error : unread(error);
      this.#keep(clientId, refused, FAILURE_KEPT_MS);
      throw refused;
    }
  }

  async #read(clientId: string): Promise<SignInClient> {
    const { status, text } = await this.#ask({
      method: 'GET',
      url: clientId,
      headers: { accept: 'application/json' },
      timeoutMs: TIMEOUT_MS,
      harmless: true,
      reach: 'public',
      // A document of sixteen kilobytes at most: of a longer one the beginning is enough to refuse it.
      statusDecides: true,
    });
    if (status !== 200) throw refusal(`its address answered ${status}`);
    if (text.length > LONGEST_DOCUMENT) throw refusal(`its document is longer than ${LONGEST_DOCUMENT} bytes`);
    const given = jsonOf(text);
    const document = documentSchema.safeParse(given);
    if (!document.success) throw refusal('its document is no JSON of a client without a secret');
    if (document.data.client_id !== clientId) throw refusal('its document names another client');
    return { id: clientId, ...readMetadata(given) };
  }

  #keep(clientId: string, found: SignInClient | OAuthError, forMs: number): void {
    if (this.#kept.size >= MOST_KEPT) {
      const [oldest] = this.#kept.keys();
      if (oldest !== undefined) this.#kept.delete(oldest);
    }
    this.#kept.delete(clientId);
    this.#kept.set(clientId, { until: this.#clock.now() + forMs, found });
  }

  #requireRoom(personId: string): void {
    const minute = Math.floor(this.#clock.now() / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#fetched = new Map();
    }
    const count = this.#fetched.get(personId) ?? 0;
    if (count >= MOST_PER_PERSON || this.#running.size >= MOST_AT_ONCE)
      throw new OAuthError('temporarily_unavailable', 'Too many clients are looked up. Try again in a minute.', 429);
    this.#fetched.set(personId, count + 1);
  }
}

/** @throws OAuthError for an id that is no address of a document */
function requireDocumentId(clientId: string): void {
  const url = URL.canParse(clientId) ? new URL(clientId) : undefined;
  const fits =
    clientId.length <= LONGEST_URL &&
    url?.protocol === 'https:' &&
    // Written otherwise than it is read, it would be two clients.
    url.href === clientId &&
    url.pathname !== '/' &&
    url.hash === '' &&
    url.username === '' &&
    url.password === '';
  if (!fits) throw refusal('the address that is its id must be https, with a path and without a fragment');
}

function refusal(why: string): OAuthError {
  return new OAuthError('invalid_client', `This client can not be known: ${why}.`);
}

function unread(error: unknown): OAuthError {
  const refused = error instanceof CallError && error.kind === 'refused';
  return refusal(refused ? 'its address is not on the public internet' : 'its address did not answer');
}

function jsonOf(text: string): unknown {
  try {
    return parseOutsideJson(text);
  } catch {
    return undefined;
  }
}
