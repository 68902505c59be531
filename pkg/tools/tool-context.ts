import type { Clocks } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { Logger } from '../base/log.ts';
import type { Sealer } from '../base/sealer.ts';
import type { MemberRole } from '../domain/vocabulary.ts';
import type { Tx } from '../postgres/database.ts';
import type { AiWriter } from '../providers/ai/ai-writer.ts';
import type { ReachOf } from '../providers/integrations.ts';
import type { NetworkProviders } from '../providers/network/network-providers.ts';
import type { Cursors } from './cursors.ts';
import type { Repeatable } from './natural-key.ts';
import type { Resources } from './resources/resources.ts';

/** Who calls. */
export interface Caller {
  /** Id of the API key; `internal` for server-to-server calls. */
  keyId: string;
  keyType: 'user' | 'workspace' | 'internal';
  keyPrefix: string;
  scopes: ReadonlySet<string>;
  user: { id: string; name: string; email: string } | null;
  platformAdmin: boolean;
  /** Workspaces that the key may see: one for a workspace key, the memberships of a user key. */
  workspaces: readonly { workspaceId: string; name: string; role: MemberRole }[];
}

/** How credentials are stored, and where addresses that callers give may lead. */
export interface Connections {
  sealer: Sealer;
  reachOf: ReachOf;
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
  /** What connecting integrations needs; absent where no key is configured under which credentials could be stored. */
  connections?: Connections | undefined;
  /** Public address of what comes from outside (invitations, webhooks), without a slash at its end; '' when not told. */
  ingressUrl: string;
  /** A transaction that sees the caller's workspaces (or only `workspaceId` when it is resolved). */
  tx<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** A transaction that sees everything. @throws Error unless the tool's scope is admin:* or its rule is `none` */
  platformTx<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * As `tx`, with the idempotency record in the same transaction: a key seen before returns its stored result,
   * the same key with other input is refused. `key` undefined runs the work plainly.
   * @param keepSeconds how long the result is kept, real seconds; default seven days
   * @throws UserError when the key was used with other input
   */
  once<T extends object>(
    workspaceId: string,
    key: string | undefined,
    work: (tx: Tx) => Promise<T>,
    keepSeconds?: number,
  ): Promise<T>;
  /**
   * As `once`, for work that sends, charges or starts something: without a key, the same call within a minute is the same
   * one, made again because its answer was lost. Source: catalog conventions (natural key).
   * @throws UserError when the key was used with other input
   */
  repeatable<T extends object>(workspaceId: string, key: string | undefined, call: Repeatable<T>): Promise<T>;
  /** The input as it was given and defaulted, without `workspaceId` and `idempotencyKey`: what a key stands for. */
  ownInput: object;
  /**
   * Aborted when the client does not wait any more. A long handler calls `signal.throwIfAborted()` between its steps,
   * inside its transaction, so that nothing of a cancelled call is kept; after an effect that can not be taken back
   * it goes on to its end.
   */
  signal: AbortSignal;
  /** Reports progress to the client when it asked for it; bounded to a few per second. */
  progress(done: number, total: number, message: string): void;
}
