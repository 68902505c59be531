import type { Clocks } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { Logger } from '../base/log.ts';
import type { Sealer } from '../base/sealer.ts';
import type { MemberRole } from '../domain/vocabulary.ts';
import type { Tx } from '../postgres/database.ts';
import type { AiWriter } from '../providers/ai/ai-writer.ts';
import type { EnrichmentDesk } from '../providers/enrichment/ask-about.ts';
import type { ReachOf } from '../providers/integrations.ts';
import type { NetworkProviders } from '../providers/network/network-providers.ts';
import type { OauthClients } from '../providers/oauth/oauth-clients.ts';
import type { Cursors } from './cursors.ts';
import type { CallKey } from './idempotency/call-key.ts';
import type { Naming } from './idempotency/naming.ts';
import type { Repeatable } from './idempotency/repeatable.ts';
import type { PostOffice } from './mail/post-office.ts';
import type { Resources } from './resources/resources.ts';

/** Who calls. */
export interface Caller {
  /** Id of the API key, or of the session; `internal` for server-to-server calls. */
  keyId: string;
  /** A session of the console may what a user key may that opens all workspaces of its user. */
  keyType: 'user' | 'workspace' | 'internal';
  /** Called by a session instead of a key. */
  session?: 'console';
  keyPrefix: string;
  scopes: ReadonlySet<string>;
  user: { id: string; name: string; email: string } | null;
  platformAdmin: boolean;
  /** Whether the user is one, also where the call is internal, which may do what a platform admin may. */
  userIsPlatformAdmin?: boolean;
  /** Workspaces that the key may see: one for a workspace key, the memberships of a user key. */
  workspaces: readonly CallerWorkspace[];
  /** False for a grant of sign-in whose person did not allow it what reaches people or spends; absent: it may. */
  mayReach?: false;
  /** Workspaces that would be among them, were they not marked for deletion. */
  ending?: readonly EndingWorkspace[];
}

/** A workspace that a key may see. */
export interface CallerWorkspace {
  workspaceId: string;
  name: string;
  role: MemberRole;
  /** Scopes that the member has there at most, since nothing proved the address; absent: all that the key carries. */
  scopeLimit?: readonly string[];
}

/** A workspace that is marked for deletion: closed to its members. */
export interface EndingWorkspace {
  workspaceId: string;
  /** Epoch ms UTC, product time. */
  eraseAt: number;
}

/** How credentials are stored, and where addresses that callers give may lead. */
export interface Connections {
  sealer: Sealer;
  reachOf: ReachOf;
  /** How this installation is known to vendors; absent: to none. */
  oauth?: OauthClients;
}

/** What a tool may use. One is made per call. */
export interface ToolContext {
  caller: Caller;
  /** The resolved workspace for rules `param` and `param_or_campaign` (empty where a campaign decides), else ''. */
  workspaceId: string;
  requestId: string;
  clocks: Clocks;
  ids: Ids;
  log: Logger;
  /** Writes of the three kinds, Kubernetes first, then the projection. */
  resources: Resources;
  /** Signed cursors bound to tool, filters and key. */
  cursors: Cursors;
  providers: NetworkProviders;
  /** Writes texts; the built-in template writer where no model is configured. */
  ai: AiWriter;
  /** Who is asked for fields of leads and companies; absent: nobody. */
  enrichment?: EnrichmentDesk | undefined;
  /** What connecting integrations needs; absent where no key is configured under which credentials could be stored. */
  connections?: Connections | undefined;
  /**
   * Renews what a vendor refuses of an integration (renewRefused): the server's own work, also below a tool that only reads. Absent where
   * nothing can be connected.
   */
  renewGrant?: ((integrationId: string, refused: Buffer) => Promise<string | null>) | undefined;
  /** Where mails of the platform are queued; absent where no mail is set up. */
  mail?: PostOffice | undefined;
  /** Public address of what comes from outside (invitations, webhooks), without a slash at its end; '' when not told. */
  ingressUrl: string;
  /** Live keys that a user, or a workspace, has at most. */
  maxKeys: number;
  /**
   * A transaction that sees the caller's workspaces (or only `workspaceId` when it is resolved). The database refuses its writes where a
   * lost answer would make, send or charge something twice (hint `idempotent: false`, or an `idempotencyKey`): such a tool writes by
   * `create`, `repeatable`, `resources` and `charged`, which know a call that is made again.
   */
  tx<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** As `tx`, but sees everything. @throws Error unless the tool's scope is admin:* or its rule is `none` */
  platformTx<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * The transaction in which a tool creates, with the answer of the call: made again, the call answers the same and does nothing. It
   * is known by its `idempotencyKey` for seven days, else by the natural key (workspace, tool, caller, input) for 60 s, while what the
   * answer names is there.
   * @param workspaceId '' for what belongs to none
   * @throws UserError when the key was used with other input
   */
  create<T extends object>(workspaceId: string, work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * As `create`, for work that starts something: made again within 60 s, the call sees what it came to, so that it joins what runs and
   * goes on with what is left. Source: catalog conventions (natural key).
   * @throws UserError when the key was used with other input
   */
  repeatable<T extends object>(workspaceId: string, work: Repeatable<T>): Promise<T>;
  /**
   * A transaction that writes and is not recorded: for what may be done again without harm (steps of a job, a dry run that is rolled
   * back) or is to be done at each call (a switch that flips).
   * @param options `patienceMs`: real ms for which it tries locks that others hold; default: as long as a caller waits
   */
  unrecorded<T>(work: (tx: Tx) => Promise<T>, options?: { patienceMs: number }): Promise<T>;
  /**
   * What the same call answered before, while `repeatable` keeps it: for work that is longer than a transaction, whose last one is
   * `repeatable`.
   * @throws UserError when the key was used with other input
   */
  earlier<T extends object>(workspaceId: string): Promise<T | undefined>;
  /** The name that the call gives to what it adds to an object: the same one when the call is made again after a crash. */
  nameOnce(tx: Tx, workspaceId: string, naming: Naming): Promise<string>;
  /** What the call is known by when it is made again. */
  callKey: CallKey;
  /**
   * Aborted when the client does not wait any more. A long handler calls `signal.throwIfAborted()` between its steps,
   * inside its transaction, so that nothing of a cancelled call is kept (of work in several transactions: nothing of
   * the one under way); after an effect that can not be taken back
   * it goes on to its end.
   */
  signal: AbortSignal;
  /** Reports progress to the client when it asked for it; bounded to a few per second. */
  progress(done: number, total: number, message: string): void;
}
