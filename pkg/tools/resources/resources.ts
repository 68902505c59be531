import type { CampaignSpec, WorkflowSpec, WorkspaceSpec } from '../../api/specs.ts';
import type { Tx } from '../../postgres/database.ts';

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

/**
 * Writes of the three kinds as tools make them: an intent row, server-side apply as field manager `outrider-mcp`
 * (optimistic, never by force), then the same projection that the controllers call, so the caller reads its own write.
 */
export interface Resources {
  /**
   * Creates an object. A retry with the same `intentKey` (idempotency or natural key) resumes after a crash at any
   * gap and never makes a second one. `finish` runs in the transaction of the projection; its result is stored with
   * the intent and returned again on a retry.
   * @throws UserError when the Kubernetes API refuses the object or can't be reached
   */
  create<K extends KindName, T extends object>(request: {
    kind: K;
    tool: string;
    workspaceId: string;
    prefix: string;
    spec: Specs[K];
    intentKey: string | undefined;
    finish: (tx: Tx, written: Written) => Promise<T>;
  }): Promise<T>;
  /**
   * Changes an object: applies all fields that `outrider-mcp` owns plus the change.
   * @throws UserError naming the other manager and the field on a conflict, or when the object is gone
   */
  update<K extends KindName, T extends object>(request: {
    kind: K;
    tool: string;
    workspaceId: string;
    id: string;
    change: (spec: Specs[K]) => Specs[K];
    finish: (tx: Tx, written: Written) => Promise<T>;
  }): Promise<T>;
}
