import type { CampaignSpec, WorkflowSpec, WorkspaceSpec } from '../../api/specs.ts';
import type { Tx } from '../../postgres/database.ts';
import type { IntentKey } from '../idempotency/intent-key.ts';

/** Specs of the three kinds by kind name. */
export interface Specs {
  Workspace: WorkspaceSpec;
  Campaign: CampaignSpec;
  Workflow: WorkflowSpec;
}
export type KindName = keyof Specs;

/** What a write of a custom resource came to. */
export interface Written {
  /** The opaque id: the name in the home namespace, `<namespace>.<name>` elsewhere. */
  id: string;
  generation: number;
}

/** An object to be made. `finish` runs in the transaction of the projection; its result is the write's. */
interface Creation<K extends KindName, T extends object> {
  kind: K;
  /** '' for a workspace, which is in none. */
  workspaceId: string;
  /** What its name begins with. */
  prefix: string;
  spec: Specs[K];
  finish: (tx: Tx, written: Written) => Promise<T>;
}

/**
 * Writes of the three kinds as tools make them: an intent row, server-side apply as field manager `outrider-mcp`
 * (optimistic, never by force), then the same projection that the controllers call, so the caller reads its own write.
 */
export interface Resources {
  /**
   * Creates an object. The call that is made again after a crash at any gap goes on with it and never makes a second one; what
   * `finish` returned is returned again.
   * @param request `part`: which of several objects of one call, where their order may change between two tries
   * @throws UserError when the Kubernetes API refuses the object or can't be reached, or the key was used with other input
   */
  create<K extends KindName, T extends object>(request: Creation<K, T> & { part?: string }): Promise<T>;
  /**
   * Changes an object: applies all fields that `outrider-mcp` owns plus the change. `check` sees the rows as they are
   * for the very version that the change is applied to; what it throws refuses the change.
   * @throws UserError naming the other manager and the field on a conflict, or when the object is gone
   */
  update<K extends KindName, T extends object>(request: {
    kind: K;
    workspaceId: string;
    id: string;
    check?: (tx: Tx) => Promise<void>;
    change: (spec: Specs[K]) => Specs[K];
    finish: (tx: Tx, written: Written) => Promise<T>;
  }): Promise<T>;
  /**
   * Deletes an object and tombstones its rows; what proves contact stays. `finish` runs in the same transaction,
   * before the tombstone. Deleting again is no error.
   * @throws UserError when the Kubernetes API refuses or can't be reached
   */
  delete<T extends object>(request: {
    kind: KindName;
    workspaceId: string;
    id: string;
    finish: (tx: Tx, now: number) => Promise<T>;
  }): Promise<T>;
}

/** The same for the server, which says of each object under what it is made. */
export interface KeyedResources extends Omit<Resources, 'create'> {
  create<K extends KindName, T extends object>(request: Creation<K, T> & { intent: IntentKey }): Promise<T>;
}
