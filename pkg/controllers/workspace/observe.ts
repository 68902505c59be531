import { idOf, parseSpec } from '../../api/object.ts';
import type { WorkspaceSpec } from '../../api/specs.ts';
import { workspaceSpec } from '../../api/workspace.ts';
import { projectWorkspace } from '../../store/resources/project-workspace.ts';
import { hoursProblem } from '../../store/resources/projection.ts';
import { noteRefused, RowsOfAnother } from '../../store/restore/adoption.ts';
import type { CachedObject } from '../cached-object.ts';
import type { OperatorContext } from '../context.ts';
import { currentHold } from '../holds.ts';
import { isWhole, liveOf, type WholeObject } from '../look.ts';
import { type HoldFact, type Readiness, readinessOf, shownBy } from '../readiness.ts';
import { reconcileRecord, storeReconcile } from '../reconcile-record.ts';
import { executorSpec } from './executor-spec.ts';
import { readFacts, type WorkspaceFacts } from './facts.ts';

/** What is known after the projection. */
export interface Observed {
  id: string;
  readiness: Readiness;
  hold: HoldFact | null;
  facts: WorkspaceFacts | undefined;
  /** Of the spec; the defaults when that is not valid. */
  executor: WorkspaceSpec['executor'];
}

const IN_FORCE: Readiness = { ready: true, reason: 'Succeeded', message: 'The workspace is in force.' };

/** Projects the object where that is needed, and reads what the database says of it. */
export async function observe(context: OperatorContext, object: CachedObject | WholeObject): Promise<Observed> {
  const { db, homeNamespace, clocks } = context;
  const id = idOf(object, homeNamespace);
  const projected = isWhole(object) ? await project(context, object) : IN_FORCE;
  return db.tx({ kind: 'platform' }, async (tx) => {
    const hold = await currentHold(tx, 'workspace', id, object, clocks.product.now());
    const found = await readFacts(tx, id, clocks.product.now());
    const facts = found?.uid === object.metadata.uid ? found : undefined;
    const readiness = shownBy(facts, projected);
    if (facts) {
      const generation = object.metadata.generation ?? 0;
      const record = reconcileRecord(facts.reconcile, {
        readiness,
        generation,
        inForce: true,
        now: clocks.product.now(),
      });
      await storeReconcile(tx, 'workspace', { id, uid: object.metadata.uid ?? '' }, record);
    }
    return { id, readiness, hold, facts, executor: executorOf(object) };
  });
}

function executorOf(object: CachedObject | WholeObject): WorkspaceSpec['executor'] {
  return executorSpec(isWhole(object) ? (object.spec as { executor?: unknown }).executor : object.executor);
}

async function project(context: OperatorContext, object: WholeObject): Promise<Readiness> {
  const { db, homeNamespace, clocks, runtime } = context;
  try {
    const live = liveOf(context, 'Workspace', object);
    const projection = { now: clocks.product.now(), homeNamespace, ids: runtime.ids, live };
    await db.tx({ kind: 'platform' }, (tx) => projectWorkspace(tx, object, projection));
    const problem = hoursProblem(parseSpec<WorkspaceSpec>(workspaceSpec, object));
    if (problem) throw problem;
    return IN_FORCE;
  } catch (error) {
    if (error instanceof RowsOfAnother) await db.tx({ kind: 'platform' }, (tx) => noteRefused(tx, error.asking));
    return readinessOf(error);
  }
}
