import type { Clock } from '../../base/clock.ts';
import type { FaceContext } from '../../base/http/http-app.ts';
import { networkOf } from '../../base/http/network-of.ts';
import { readBody } from '../../base/http/read-body.ts';
import { parseOutsideJson } from '../../base/usable-text.ts';
import { registerClient } from '../../store/sign-in/clients.ts';
import { readMetadata } from './client-metadata.ts';
import { OAuthError } from './oauth-error.ts';
import type { SignInServices } from './sign-in-services.ts';

const MAX_BODY = 16_384;
const MAX_BODY_MS = 10_000;
/** Clients that an address may register in an hour; each person needs one. */
const MOST_PER_HOUR = 60;
const HOUR_MS = 3_600_000;
const MOST_ADDRESSES = 10_000;

/** Registers clients that nobody knows yet: they get an id and no secret. Source: RFC 7591. */
export class Register {
  readonly #services: SignInServices;
  readonly #counts: AddressCounts;

  constructor(services: SignInServices) {
    this.#services = services;
    this.#counts = new AddressCounts(services.clocks.real);
  }

  /** @throws OAuthError that says what is wrong, or when to come back */
  async register(ctx: FaceContext): Promise<object> {
    const text = await readBody(ctx.req, { maxBytes: MAX_BODY, withinMs: MAX_BODY_MS });
    const metadata = readMetadata(jsonOf(text));
    this.#counts.count(ctx.req.socket.remoteAddress);
    const { db, ids, clocks } = this.#services;
    const client = { id: ids.uuid(), ...metadata };
    if (!(await db.tx({ kind: 'platform' }, (tx) => registerClient(tx, client)))) throw tooMany(600);
    return {
      client_id: client.id,
      client_id_issued_at: Math.floor(clocks.real.now() / 1_000),
      client_name: client.name,
      redirect_uris: client.redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }
}

/** Counts what each address registered in the hour. */
class AddressCounts {
  readonly #clock: Clock;
  #hour = 0;
  #counts = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws OAuthError 429 for one that has done enough */
  count(address: string | undefined): void {
    const now = this.#clock.now();
    const hour = Math.floor(now / HOUR_MS);
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#counts = new Map();
    }
    const network = networkOf(address);
    const count = this.#counts.get(network) ?? 0;
    if (count >= MOST_PER_HOUR || (count === 0 && this.#counts.size >= MOST_ADDRESSES))
      throw tooMany(Math.ceil(((hour + 1) * HOUR_MS - now) / 1_000));
    this.#counts.set(network, count + 1);
  }
}

function tooMany(seconds: number): OAuthError {
  const headers = { 'retry-after': String(seconds) };
  return new OAuthError('temporarily_unavailable', 'Too many clients were registered. Come back later.', 429, headers);
}

function jsonOf(text: string): unknown {
  try {
    return parseOutsideJson(text);
  } catch {
    throw new OAuthError('invalid_client_metadata', 'The body is no JSON.');
  }
}
