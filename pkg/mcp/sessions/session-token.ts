import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** What a session id says; it needs no store, so any replica serves any request. */
export interface Session {
  keyId: string;
  /** Negotiated protocol version. */
  version: string;
  /** Seconds since the epoch, real time. */
  startedAt: number;
}

/** A session lives a day; clients begin a new one after a 404. */
const LIFETIME_SECONDS = 86_400;

/** Session ids that are remembered (about 600 bytes each). */
const MAX_KNOWN = 20_000;

/** Signs and reads session ids. */
export class SessionTokens {
  readonly #secret: string;
  /** Ids that were read before: two hashes per request are spared. */
  readonly #known = new Map<string, { session: Session; hash: Buffer }>();

  constructor(secret: string) {
    this.#secret = secret;
  }

  issue(session: Session): string {
    const nonce = randomBytes(9).toString('base64url');
    const body = Buffer.from([session.keyId, session.version, session.startedAt, nonce].join('|')).toString(
      'base64url',
    );
    return `${body}.${this.#mac(body)}`;
  }

  /** @returns undefined for an id that is not ours, changed or too old */
  read(token: string, nowSeconds: number): Session | undefined {
    const [body = '', mac = '', extra] = token.split('.');
    if (extra !== undefined || token.length > 500) return undefined;
    const wanted = Buffer.from(this.#mac(body));
    const given = Buffer.from(mac);
    if (wanted.length !== given.length || !timingSafeEqual(wanted, given)) return undefined;
    const [keyId = '', version = '', started = ''] = Buffer.from(body, 'base64url').toString().split('|');
    const startedAt = Number(started);
    return startedAt + LIFETIME_SECONDS < nowSeconds ? undefined : { keyId, version, startedAt };
  }

  /** The session with what a tombstone keeps of it. @returns undefined for an id that is not ours, changed or too old */
  open(token: string, nowSeconds: number): { session: Session; hash: Buffer } | undefined {
    const known = this.#known.get(token);
    if (known && known.session.startedAt + LIFETIME_SECONDS >= nowSeconds) return known;
    const session = this.read(token, nowSeconds);
    if (!session) return undefined;
    const opened = { session, hash: SessionTokens.hashOf(token) };
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(token, opened);
    return opened;
  }

  /** What a tombstone keeps of a session. */
  static hashOf(token: string): Buffer {
    return createHash('sha256').update(token).digest();
  }

  #mac(body: string): string {
    return createHmac('sha256', this.#secret).update(body).digest('base64url');
  }
}
