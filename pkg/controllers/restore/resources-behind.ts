import { objectRef } from '../../api/object.ts';
import type { Informer } from '../../kube/informer.ts';
import { type KubeObject, keyOf } from '../../kube/types.ts';
import { LET_GO_BY, RECONCILED_BY } from '../../store/restore/held-deletions.ts';
import type { BehindResource } from '../../store/restore/restore-guard.ts';
import { RESOURCES } from '../../tools/resources/kinds.ts';
import type { CachedObject } from '../cached-object.ts';
import type { OperatorContext } from '../context.ts';

/** Rows compared at most per round. */
const MAX_ROWS = 200_000;

interface Row {
  kind: BehindResource['kind'];
  id: string;
  uid: string;
  generation: number;
}

/**
 * Resources that are older than the rows that show them: a restored cluster. A cache may lag behind a tool's write, so
 * what looks old is read from the API server and its row once more. Rows of namespaces that are not watched any more show
 * nothing that could be compared.
 * @param most suspicious objects that are looked at
 */
export async function resourcesBehind(context: OperatorContext, most = MAX_ROWS): Promise<BehindResource[]> {
  const { homeNamespace } = context;
  const rows = (await readRows(context)).filter((row) => context.watches(objectRef(row.id, homeNamespace).namespace));
  const suspects = rows
    .filter((row) => !isKnownToGo(context, row) && isOlder(row, cached(context, row)))
    .slice(0, most);
  return confirmed(context, suspects);
}

/**
 * The same by what the API server has now, for a cache may not know yet that its cluster was restored. Only while sends are frozen:
 * it lists all objects.
 */
export async function resourcesBehindNow(context: OperatorContext): Promise<BehindResource[]> {
  const { client, homeNamespace } = context;
  const suspects: Row[] = [];
  const byPlace = Map.groupBy(await readRows(context), ({ kind, id }) => {
    const { namespace } = objectRef(id, homeNamespace);
    return `${kind}/${namespace}`;
  });
  for (const [place, rows] of byPlace) {
    const [kind, namespace] = place.split('/') as [Row['kind'], string];
    if (!context.watches(namespace)) continue;
    const { items } = await client.list(RESOURCES[kind], { namespace, metadataOnly: true });
    const live = new Map(items.map((object) => [object.metadata.name, object]));
    suspects.push(...rows.filter((row) => isOlder(row, live.get(objectRef(row.id, homeNamespace).name))));
  }
  return confirmed(context, suspects);
}

/** Each is read from the API server and its row once more: a tool may have written meanwhile. */
async function confirmed(context: OperatorContext, suspects: readonly Row[]): Promise<BehindResource[]> {
  const { homeNamespace } = context;
  const behind: BehindResource[] = [];
  for (const suspect of suspects) {
    const live = await context.client.find(RESOURCES[suspect.kind], objectRef(suspect.id, homeNamespace));
    const row = (await readRows(context, suspect))[0];
    if (!row || isKnownToGo(context, row) || !isOlder(row, live)) continue;
    behind.push({
      kind: row.kind,
      id: row.id,
      uid: row.uid,
      rowGeneration: row.generation,
      liveGeneration: live?.metadata.generation ?? null,
    });
  }
  return behind;
}

/** It went by force, or a watch told of its deletion: its rows follow. */
function isKnownToGo(context: OperatorContext, row: Row): boolean {
  const key = keyOfRow(context, row);
  return context.letGo.has(`${row.kind}/${key}`) || context.deletions.of(row.kind, key).includes(row.uid);
}

function isOlder(row: Row, object: KubeObject | undefined): boolean {
  if (!object) return true;
  return object.metadata.uid === row.uid && (object.metadata.generation ?? 0) < row.generation;
}

function cached(context: OperatorContext, row: Row): KubeObject | undefined {
  const informers: Record<Row['kind'], Informer<CachedObject>> = {
    Workspace: context.workspaces,
    Campaign: context.campaigns,
    Workflow: context.workflows,
  };
  return informers[row.kind].store.get(keyOfRow(context, row));
}

function keyOfRow({ homeNamespace }: OperatorContext, { id }: Row): string {
  return keyOf({ metadata: objectRef(id, homeNamespace) });
}

/** Live rows that show a resource, or the one row of `of`; what is held back for want of its resource is known already. */
function readRows(context: OperatorContext, of?: Row): Promise<Row[]> {
  return context.db.tx({ kind: 'platform' }, (tx) =>
    tx.rows<Row>(
      `select *
       from (
         select 'Workspace' as kind, id, uid, generation
         from workspace
         where deleted_at is null
         union all
         select 'Campaign', id, uid, generation
         from campaign
         where deleted_at is null
         union all
         select 'Workflow', id, uid, generation
         from workflow
         where deleted_at is null
       ) r
       where generation > 0
         and ($2::text is null or (r.kind = $2 and r.id = $3))
         and not exists (
           select 1
           from hold h
           where h.kind = lower(r.kind) and h.id = r.id and h.held_by = any ($4)
         )
         and not exists (select 1 from held_deletion d where d.kind = r.kind and d.id = r.id)
       limit $1`,
      [MAX_ROWS, of?.kind ?? null, of?.id ?? null, [RECONCILED_BY, LET_GO_BY]],
    ),
  );
}
