import type { IncomingMessage } from 'node:http';
import { ALL_SCOPES, TENANT_SCOPES } from '../../domain/scopes.ts';
import type { Database } from '../../postgres/database.ts';
import { findSession, keepSession, type SessionRecord } from '../../store/console/console-sessions.ts';
import type { Caller } from '../../tools/tool-context.ts';
import { type Authenticated, limitsOf, openAndEnding } from '../authentication.ts';
import type { RateLimits } from '../limits.ts';
import { cookieOf } from './console-cookie.ts';

/** Somebody who is signed in to the console. */
export interface ConsoleSession {
  sessionId: string;
  userId: string;
  /** Signed in, epoch ms. */
  at: number;
}

/** A session as it is now, and as whom it calls. */
export interface OpenSession extends ConsoleSession {
  token: string;
  authenticated: Authenticated;
  /** Its use was noted now, so that the cookie lasts longer too. */
  renewed: boolean;
}

export interface ConsoleSessionsOptions {
  db: Database;
  limits: RateLimits;
  /** How many times the limits of one key all keys and sessions of a user have together. */
  ownerTimes: number;
}

/** What the audit log and texts call a session, which has no key. */
const PREFIX = 'console';

/**
 * Reads sessions by their cookie. Nothing is remembered: what ended, and every right that was taken, holds at the next request, and a
 * browser asks so seldom that a read costs nobody anything.
 */
export class ConsoleSessions {
  readonly #options: ConsoleSessionsOptions;

  constructor(options: ConsoleSessionsOptions) {
    this.#options = options;
  }

  /** Who asks, and as whom they call; undefined: nobody who is signed in. */
  async open(request: IncomingMessage): Promise<OpenSession | undefined> {
    const token = cookieOf(request);
    return token === undefined ? undefined : this.read(token);
  }

  /** The open session of a token, which is used by that. */
  async read(token: string): Promise<OpenSession | undefined> {
    const session = await this.peek(token);
    if (session?.renewed) await this.#options.db.tx({ kind: 'platform' }, (tx) => keepSession(tx, session.sessionId));
    return session;
  }

  /** The same without using it: a page that is only open keeps nobody signed in. */
  async peek(token: string): Promise<OpenSession | undefined> {
    const record = await this.#options.db.read({ kind: 'platform' }, (tx) => findSession(tx, token));
    if (!record) return undefined;
    return {
      sessionId: record.id,
      userId: record.user.id,
      at: record.signedInAt,
      token,
      renewed: record.stale,
      authenticated: this.#authenticated(record, token),
    };
  }

  #authenticated(record: SessionRecord, token: string): Authenticated {
    const { limits, ownerTimes } = this.#options;
    return {
      caller: callerOf(record),
      // Not null: a session is limited.
      hash: Buffer.from(token),
      owner: { id: `user:${record.user.id}`, times: ownerTimes },
      version: '',
      ...limitsOf({ keyType: 'user', workspaces: record.workspaces }, limits),
    };
  }
}

function callerOf({ id, user, workspaces }: SessionRecord): Caller {
  return {
    keyId: id,
    keyType: 'user',
    session: 'console',
    keyPrefix: PREFIX,
    scopes: new Set(user.platformAdmin ? ALL_SCOPES : TENANT_SCOPES),
    user: { id: user.id, name: user.name, email: user.email },
    platformAdmin: user.platformAdmin,
    userIsPlatformAdmin: user.platformAdmin,
    ...openAndEnding(workspaces),
  };
}
