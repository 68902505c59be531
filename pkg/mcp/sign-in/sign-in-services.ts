import type { IncomingMessage } from 'node:http';
import type { Clocks } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { Database } from '../../postgres/database.ts';
import type { AuditLog } from '../audit-log.ts';
import type { Authenticated } from '../authentication.ts';
import type { Generations } from '../generations.ts';
import type { AskOutside } from './client-documents.ts';

/** Somebody who is signed in to the console, and as whom they call. */
export interface SignedInPerson {
  sessionId: string;
  userId: string;
  authenticated: Pick<Authenticated, 'caller'>;
}

/** Who is signed in to the console. */
export interface PeopleSessions {
  /** Undefined: nobody. */
  open(request: IncomingMessage): Promise<SignedInPerson | undefined>;
}

/** How the sign-in of clients is set up. */
export interface SignInOptions {
  /** Live grants of a user at most. */
  maxGrants: number;
  /** How documents of clients are fetched; default: the guarded way. */
  ask?: AskOutside;
}

/** What the sign-in works with. */
export interface SignInServices extends SignInOptions {
  /** Address under which people reach the console, and clients this server; absent: only clients of this machine sign in. */
  publicUrl?: string | undefined;
  db: Database;
  clocks: Clocks;
  ids: Ids;
  audit: Pick<AuditLog, 'append'>;
  generations: Pick<Generations, 'settled'>;
  sessions: PeopleSessions;
  /** Signs the forms of consent. */
  secret: string;
}
