import { idOf } from '../api/object.ts';
import type { KindName } from '../api/specs.ts';
import { KubeError } from '../kube/kube-error.ts';
import { NAMESPACES } from '../kube/resources.ts';
import type { KubeObject } from '../kube/types.ts';
import { holdDeletion, isRestoreSuspected, liveUid, pauseDeleted } from '../store/restore/held-deletions.ts';
import type { OperatorContext } from './context.ts';
import { SETTLE_MS } from './departures.ts';
import type { Conditioned } from './object-conditions.ts';

/** What is to be done about a deletion: carry it out, look again after so long (real ms), or keep the rows. */
export type Judgement = { do: 'delete' } | { do: 'wait'; ms: number } | { do: 'hold' };

/**
 * Judges a deletion before anything of it is carried out. One that nobody can have meant holds the rows and lets the object go,
 * so that no namespace hangs: nothing acts for them, and they go on when the object is applied again. The object alone is never
 * proof, since a garbage collector, a restore or a wrong `kubectl delete -f` delete as people do.
 */
export async function judgeDeletion(context: OperatorContext, kind: KindName, object: Conditioned): Promise<Judgement> {
  const { db, clocks, departures, homeNamespace } = context;
  const { uid = '' } = object.metadata;
  const row = { kind, id: idOf(object, homeNamespace), uid };
  const platform = { kind: 'platform' } as const;
  if (departures.isMeant(uid)) return { do: 'delete' };
  const shown = await db.tx(platform, (tx) => liveUid(tx, kind, row.id));
  // A tool deleted it, and its rows with it; or the rows are those of another object, which it never was the place of.
  const isRows = shown === uid || (shown !== undefined && isOfDeadOwner(context, object));
  if (!isRows) {
    departures.meant(uid);
    return { do: 'delete' };
  }
  const why = await whyNotMeant(context, kind, object);
  const now = clocks.product.now();
  if (why !== null) {
    await db.tx(platform, (tx) => holdDeletion(tx, { ...row, uid: shown }, why, now));
    tell(context, kind, row.id, object, why);
    return { do: 'hold' };
  }
  if (departures.isSettled(uid)) return { do: 'delete' };
  await db.tx(platform, (tx) => pauseDeleted(tx, row, now));
  return { do: 'wait', ms: SETTLE_MS };
}

/** Why nobody can have meant that the rows go too; null: somebody may. */
async function whyNotMeant(context: OperatorContext, kind: KindName, object: Conditioned): Promise<string | null> {
  const { db, departures } = context;
  const { uid = '' } = object.metadata;
  if (kind !== 'Workflow' && departures.isOrphaning(uid)) return 'it was deleted with --cascade=orphan';
  if (isOfDeadOwner(context, object)) return 'the garbage collector deleted it for an owner of an earlier cluster';
  const together = departures.together(uid);
  if (together) return `${together.gone} of ${together.of} objects of its workspace were deleted within a minute`;
  if (await isNamespaceGoing(context, object)) return 'its namespace is being deleted';
  return (await db.tx({ kind: 'platform' }, isRestoreSuspected))
    ? 'a restored backup is suspected (outrider reconcile)'
    : null;
}

/** Its owner is one of our objects that is not there, at least not with this uid: what the garbage collector acts on. */
function isOfDeadOwner({ workspaces, campaigns, departures }: OperatorContext, { metadata }: KubeObject): boolean {
  const owners = departures.ownersOf(metadata.uid ?? '');
  if (owners.length === 0) return false;
  return owners.every(({ kind, name, uid }) => {
    const { store } = kind === 'Workspace' ? workspaces : campaigns;
    return store.get(`${metadata.namespace}/${name}`)?.metadata.uid !== uid;
  });
}

/** An operator that may not ask is told nothing; the count of what goes together is its witness. */
async function isNamespaceGoing({ client }: OperatorContext, { metadata }: KubeObject): Promise<boolean> {
  const namespace = await client.find(NAMESPACES, { name: metadata.namespace ?? '' }).catch((error: unknown) => {
    if (error instanceof KubeError && error.status === 403) return undefined;
    throw error;
  });
  return namespace?.metadata.deletionTimestamp !== undefined;
}

/** On the object, which is about to go, and on its workspace, where that stays. */
function tell(context: OperatorContext, kind: KindName, id: string, object: KubeObject, why: string): void {
  const { events, campaigns, workspaces } = context;
  const note = `${kind} ${id} is gone and its runs rest: ${why}. Apply it again and they go on; if it was meant: outrider deletions confirm ${kind.toLowerCase()} ${id}`;
  const happened = { type: 'Warning', reason: 'DeletionHeld', action: 'Hold', note } as const;
  events.record(object, happened);
  const { parent = '' } = object as { parent?: string };
  const workspace = workspaces.store.get(kind === 'Campaign' ? parent : (campaigns.store.get(parent)?.parent ?? ''));
  if (workspace) events.record(workspace, happened);
}
