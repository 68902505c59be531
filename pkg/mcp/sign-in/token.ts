import { createHash } from 'node:crypto';
import type { Tx } from '../../postgres/database.ts';
import { touchClient } from '../../store/sign-in/clients.ts';
import { noteGrant, type ShownCode, useCode } from '../../store/sign-in/codes.ts';
import {
  countLiveGrants,
  endGrant,
  findRefresh,
  giveBack,
  makeGrant,
  renewTokens,
  type TokenPair,
} from '../../store/sign-in/grants.ts';
import { ACCESS_SECONDS } from '../../store/sign-in/tokens.ts';
import { auditGrant, type GrantDeed } from './audit-grant.ts';
import { requireOwnResource } from './authorize-request.ts';
import { OAuthError } from './oauth-error.ts';
import type { OneOfEach } from './one-of-each.ts';
import type { SignInServices } from './sign-in-services.ts';

const HASTY = 'This grant was renewed too often. Use its access token until it ends, and come back in a minute.';
/** What a transaction came to: a refusal does not undo what it ended. */
type Outcome = { pair: TokenPair; deed: Deed } | { refused: OAuthError; deed?: Deed };
interface Deed {
  what: GrantDeed;
  userId: string;
  keyId: string;
  clientId: string;
  workspaces?: readonly string[];
}

const SPENT = 'This code was used, is too old, or was never given. Begin again with the authorization endpoint.';
const ENDED = 'This refresh token was used, has expired or was revoked. Begin again with the authorization endpoint.';

/** Gives tokens for what a person allowed, and takes them back. */
export class Tokens {
  readonly #services: SignInServices;

  constructor(services: SignInServices) {
    this.#services = services;
  }

  /** What the token endpoint answers. @throws OAuthError */
  async give(params: OneOfEach, address: string, requestId: string): Promise<object> {
    const grantType = params.require('grant_type');
    if (grantType !== 'authorization_code' && grantType !== 'refresh_token')
      throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.');
    requireOwnResource(params, address);
    const clientId = params.require('client_id');
    const outcome = await this.#services.db.tx({ kind: 'platform' }, (tx) =>
      grantType === 'refresh_token' ? this.#renew(tx, params, clientId) : this.#exchange(tx, params, clientId),
    );
    if (outcome.deed) {
      const { what, ...about } = outcome.deed;
      auditGrant(this.#services, what, { ...about, requestId });
      // What ended here opens nothing any more when the client hears of it.
      await this.#services.generations.settled();
    }
    if ('refused' in outcome) throw outcome.refused;
    const { accessToken, refreshToken, scopes } = outcome.pair;
    return {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: ACCESS_SECONDS,
      refresh_token: refreshToken,
      scope: scopes.join(' '),
    };
  }

  /** Ends what a client gives back; of what it does not have it learns nothing. Source: RFC 7009. */
  async takeBack(params: OneOfEach, requestId: string): Promise<void> {
    const [token, clientId] = [params.require('token'), params.require('client_id')];
    const now = this.#services.clocks.product.now();
    const ended = await this.#services.db.tx({ kind: 'platform' }, (tx) => giveBack(tx, token, clientId, now));
    if (!ended) return;
    auditGrant(this.#services, 'sign_in.end', { ...ended, clientId, requestId });
    await this.#services.generations.settled();
  }

  async #exchange(tx: Tx, params: OneOfEach, clientId: string): Promise<Outcome> {
    const code = params.require('code');
    const verifier = params.require('code_verifier');
    const redirectUri = params.get('redirect_uri');
    const shown = await useCode(tx, code);
    if (!shown) return refused(SPENT);
    const { clocks, ids, maxGrants } = this.#services;
    const now = clocks.product.now();
    if (shown.used && shown.keyId !== null) {
      // Two have it, and nobody knows which of them is the client. Source: RFC 9700, 4.14; OAuth 2.1, 4.1.3.
      await endGrant(tx, shown.keyId, now);
      return { ...refused(SPENT), deed: deedOf('sign_in.reused', shown, shown.keyId) };
    }
    if (!shown.open) return refused(SPENT);
    if (shown.clientId !== clientId) return refused('This code was given to another client.');
    if (redirectUri !== undefined && redirectUri !== shown.redirectUri)
      return refused('redirect_uri is not the one that the code was sent to.');
    if (!provesChallenge(verifier, shown.challenge)) return refused('code_verifier does not fit the code_challenge.');
    if ((await countLiveGrants(tx, shown.userId)) >= maxGrants)
      return refused(`This person has allowed ${maxGrants} clients already.`);
    const keyId = ids.uuid();
    const pair = await makeGrant(tx, shown, { id: keyId, now });
    await noteGrant(tx, code, keyId);
    await touchClient(tx, clientId);
    return { pair, deed: deedOf('sign_in.grant', shown, keyId) };
  }

  async #renew(tx: Tx, params: OneOfEach, clientId: string): Promise<Outcome> {
    const token = params.require('refresh_token');
    const asked = params.get('scope', 4_000)?.split(' ').filter(Boolean);
    const shown = await findRefresh(tx, token);
    if (!shown || shown.clientId !== clientId) return refused(ENDED);
    const deed = { userId: shown.userId, keyId: shown.keyId, clientId };
    if (shown.reused) {
      await endGrant(tx, shown.keyId, this.#services.clocks.product.now());
      return { ...refused(ENDED), deed: { what: 'sign_in.reused', ...deed } };
    }
    if (!shown.open) return refused(ENDED);
    if (shown.hasty) return { refused: new OAuthError('temporarily_unavailable', HASTY, 429, { 'retry-after': '60' }) };
    if (!shown.member) return refused('Its person is a member of none of its workspaces any more.');
    const more = asked?.filter((scope) => !shown.scopes.includes(scope)) ?? [];
    if (more.length > 0)
      return { refused: new OAuthError('invalid_scope', 'A renewal gives no scope that the person did not allow.') };
    const pair = await renewTokens(tx, token, shown, asked && asked.length < shown.scopes.length ? asked : null);
    await touchClient(tx, clientId);
    return { pair, deed: { what: 'sign_in.renew', ...deed } };
  }
}

function refused(text: string): { refused: OAuthError } {
  return { refused: new OAuthError('invalid_grant', text) };
}

function deedOf(what: GrantDeed, { userId, clientId, workspaces }: ShownCode, keyId: string): Deed {
  return { what, userId, keyId, clientId, workspaces };
}

/** Whether a verifier is the one whose SHA-256 was sent before. Source: RFC 7636, 4.6. */
function provesChallenge(verifier: string, challenge: string): boolean {
  return /^[\w.~-]{43,128}$/.test(verifier) && createHash('sha256').update(verifier).digest('base64url') === challenge;
}
