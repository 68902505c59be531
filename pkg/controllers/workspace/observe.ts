import { idOf, parseSpec } from '../../api/object.ts';
import type { WorkspaceSpec } from '../../api/specs.ts';
import { workspaceSpec } from '../../api/workspace.ts';
import { projectWorkspace } from '../../store/project-workspace.ts';
import { hoursProblem } from '../../store/projection.ts';
import type { OutriderObject } from '../../tools/resources/kinds.ts';
import type { OperatorContext } from '../context.ts';
import { currentHold } from '../holds.ts';
import { reconcileRecord, storeReconcile } from '../reconcile-record.ts';
import { type HoldFact, type Verdict, verdictOf } from '../verdict.ts';
import { readFacts, type WorkspaceFacts } from './facts.ts';

/** What is known after the projection. */
export interface Observed {
  id: string;
  verdict: Verdict;
  hold: HoldFact | null;
  facts: WorkspaceFacts | undefined;
  spec: WorkspaceSpec | undefined;
}

/** Projects the object and reads what the database says of it. */
export async function observe(context: OperatorContext, object: OutriderObject): Promise<Observed> {
  const { db, homeNamespace, clocks, runtime } = context;
  const id = idOf(object, homeNamespace);
  const verdict = await project(context, object);
  return db.tx({ kind: 'platform' }, async (tx) => {
    const hold = await currentHold(tx, 'workspace', id, object);
    const facts = await readFacts(tx, id, clocks.product.now());
    if (facts) {
      const generation = object.metadata.generation ?? 0;
      const record = reconcileRecord(facts.reconcile, {
        verdict,
        generation,
        inForce: true,
        now: clocks.product.now(),
      });
      await storeReconcile(tx, 'workspace', { id, uid: object.metadata.uid ?? '' }, record);
    }
    const parsed = workspaceSpec.safeParse(object.spec);
    if (!parsed.success) runtime.log.debug({ object: object.metadata.name }, 'spec is not valid');
    return { id, verdict, hold, facts, spec: parsed.success ? parsed.data : undefined };
  });
}

async function project(context: OperatorContext, object: OutriderObject): Promise<Verdict> {
  const { db, homeNamespace, clocks, runtime } = context;
  try {
    const projection = { now: clocks.product.now(), homeNamespace, ids: runtime.ids };
    await db.tx({ kind: 'platform' }, (tx) => projectWorkspace(tx, object, projection));
    const problem = hoursProblem(parseSpec<WorkspaceSpec>(workspaceSpec, object));
    if (problem) throw problem;
    return { ready: true, reason: 'Succeeded', message: 'The workspace is in force.' };
  } catch (error) {
    return verdictOf(error);
  }
}
