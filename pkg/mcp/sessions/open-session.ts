import { HttpError } from '../../base/http/http-error.ts';
import { sessionGone } from '../errors.ts';
import type { Exchange } from '../exchange.ts';
import type { MessageServices } from '../handle-message.ts';
import type { SessionKey } from '../streams/event-log.ts';
import type { SessionTokens } from './session-token.ts';

/** The session that a request names. */
export interface OpenSession extends SessionKey {
  /** Negotiated protocol version. */
  version: string;
}

/**
 * A session belongs to the key that opened it; to another key it does not exist. Whether it was ended since is asked with what
 * else may have changed (`CallGate`).
 * @throws HttpError 400, 404
 */
export function openSession({ clocks }: MessageServices, tokens: SessionTokens, exchange: Exchange): OpenSession {
  const token = exchange.request.headers['mcp-session-id'];
  if (typeof token !== 'string') {
    throw new HttpError(400, 'The header mcp-session-id is missing. Send initialize first.');
  }
  const opened = tokens.open(token, clocks.real.now() / 1_000);
  if (opened?.session.keyId !== exchange.authenticated.caller.keyId) throw sessionGone();
  return { version: opened.session.version, hash: opened.hash, token };
}
