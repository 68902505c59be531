import { idOf } from '../../api/object.ts';
import type { ReconcileResult } from '../../kube/controller.ts';
import { PODS } from '../../kube/resources.ts';
import { parseTime } from '../../kube/time.ts';
import { type KubeObject, keyOf } from '../../kube/types.ts';
import { tombstonePart } from '../../store/erasure/tombstones.ts';
import { requestDrain } from '../../store/leases/drain.ts';
import { unseat } from '../../store/leases/seats.ts';
import { RESOURCES } from '../../tools/resources/kinds.ts';
import { BY_PARENT } from '../cached-object.ts';
import { BY_WORKSPACE, type OperatorContext } from '../context.ts';
import { finalize } from '../deletion.ts';
import type { Conditioned } from '../object-conditions.ts';
import { poolPods } from '../pool/members.ts';
import { readFacts } from './facts.ts';
import type { Pod } from './pod.ts';

/** Past its grace period by so much, a Pod's node is taken for lost (real ms). */
const LOST_NODE_MS = 30_000;

/** A deleted Workspace: its campaigns and its pod go, its rows are tombstoned, then it goes. */
export function finalizeWorkspace(context: OperatorContext, object: Conditioned): Promise<ReconcileResult | undefined> {
  const { client, db, clocks, homeNamespace } = context;
  const id = idOf(object, homeNamespace);
  return finalize(context, object, {
    kind: 'Workspace',
    clear: async () => {
      const pods = context.pods.store.byIndex(BY_WORKSPACE, keyOf(object));
      const served = await drainNow(context, id, pods.length > 0);
      for (const pod of pods) await deletePod(context, pod);
      const campaigns = context.campaigns.store.byIndex(BY_PARENT, keyOf(object));
      for (const { metadata } of campaigns) {
        if (!metadata.deletionTimestamp) await client.delete(RESOURCES.Campaign, metadata, { uid: metadata.uid });
      }
      return [...[...pods, ...campaigns].map((left) => left.metadata.name), ...(served ? [served] : [])];
    },
    tombstone: () =>
      db.tx({ kind: 'platform' }, async (tx) => {
        const row = await tx.row<{ uid: string }>(`select uid from workspace where id = $1`, [id]);
        return row?.uid !== object.metadata.uid || tombstonePart(tx, 'Workspace', id, clocks.product.now());
      }),
  });
}

/** Pods of a Workspace that is gone, or of an earlier Workspace of this name. */
export async function removeStrayPods(
  context: OperatorContext,
  key: string,
  object: KubeObject | undefined,
): Promise<void> {
  for (const pod of context.pods.store.byIndex(BY_WORKSPACE, key)) {
    const owner = pod.metadata.labels?.['outrider.dev/workspace-uid'];
    if (object === undefined || owner !== object.metadata.uid) await deletePod(context, pod);
  }
}

/** Tells who works for it to finish. @returns the pod of the pool that still does; undefined: none */
async function drainNow(context: OperatorContext, id: string, hasPod: boolean): Promise<string | undefined> {
  return context.db.tx({ kind: 'platform' }, async (tx) => {
    const facts = await readFacts(tx, id, context.clocks.product.now());
    const seated = await unseat(tx, id);
    if (!facts?.lease?.live || (!hasPod && !seated && !isOfPool(context, facts.lease.holder))) return undefined;
    await requestDrain(tx, id, facts.lease.epoch);
    return poolPods(context).find((pod) => pod.metadata.uid === facts.lease?.holder)?.metadata.name;
  });
}

function isOfPool(context: OperatorContext, holder: string | null): boolean {
  return poolPods(context).some((pod) => pod.metadata.uid === holder);
}

async function deletePod(context: OperatorContext, pod: Pod): Promise<void> {
  const { name, namespace, uid, deletionTimestamp } = pod.metadata;
  const deletedAt = parseTime(deletionTimestamp);
  const lost = deletedAt !== undefined && context.clocks.real.now() - deletedAt > LOST_NODE_MS;
  if (deletedAt !== undefined && !lost) return;
  await context.client.delete(PODS, { name, namespace }, { uid, ...(lost ? { gracePeriodSeconds: 0 } : {}) });
}
