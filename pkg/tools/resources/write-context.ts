import type { Clocks } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { Database } from '../../postgres/database.ts';
import type { GraphChecker } from '../../store/resources/graph-checker.ts';

/** The three gaps at which a crash may cut a write. */
export type Gap = 'intent' | 'applied' | 'projected';

export interface KubeResourcesOptions {
  client: KubeClient;
  db: Database;
  clocks: Clocks;
  ids: Ids;
  /** Namespace whose objects have their bare name as id. */
  homeNamespace: string;
  /** Default `outrider-mcp`. */
  fieldManager?: string;
  /** Default: the vocabulary of this program. */
  checker?: GraphChecker;
  /** Called after the intent is stored, after the object is applied, and after projection and answer are stored. */
  onGap?: (gap: Gap) => void | Promise<void>;
}

/** What the steps of a write share. */
export type WriteContext = Required<KubeResourcesOptions>;

/** Who tools write as. */
export const TOOLS_MANAGER = 'outrider-mcp';
/** Who the operator writes as. */
export const OPERATOR_MANAGER = 'outrider-operator';

/** A write of a custom resource may take this long, real ms; the caller waits for it. */
export const WRITE_TIMEOUT_MS = 10_000;
