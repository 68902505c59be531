import { API_VERSION } from '../../api/kind.ts';
import { objectRef, refName } from '../../api/object.ts';
import type { KindName } from '../../api/specs.ts';
import type { Tx } from '../../postgres/database.ts';

/** An object to be applied, as its rows remember it: what its last spec said, with every default written out. */
export interface Manifest {
  apiVersion: string;
  kind: KindName;
  metadata: { name: string; namespace: string };
  spec: Record<string, unknown>;
}

const SPECS: Readonly<Record<KindName, string>> = {
  Workspace: `select jsonb_build_object(
      'displayName', w.name, 'owner', u.email, 'agencyId', w.agency_id, 'plan', w.plan, 'timezone', w.timezone,
      'businessHours', w.business_hours, 'operatingMode', w.operating_mode, 'executor', w.executor,
      'limits', w.limits, 'settings', w.settings
    ) as spec
    from workspace w
    join app_user u on u.id = w.owner_user_id
    where w.id = $1 and w.purged_at is null`,
  Campaign: `select (c.settings - 'specState') || jsonb_build_object(
      'workspaceRef', c.workspace_id, 'title', c.title, 'goal', c.goal, 'description', c.description,
      'state', c.settings -> 'specState'
    ) as spec
    from campaign c
    where c.id = $1 and c.purged_at is null`,
  Workflow: `select jsonb_build_object(
      'campaignRef', f.campaign_id, 'name', f.name, 'enabled', f.enabled or coalesce(f.deleted_enabled, false),
      'networkAccountIds', f.network_account_ids, 'providerAccountIds', f.provider_account_ids,
      'inFlight', f.in_flight, 'graph', g.graph
    ) as spec
    from workflow f
    join workflow_graph g on g.workflow_id = f.id and g.version = f.graph_version
    where f.id = $1 and f.purged_at is null`,
};

/**
 * What a row says that its object should be. @returns undefined when there is no row, its content is gone (retention,
 * erasure), or it never had a graph that can run
 */
export async function manifestOf(
  tx: Tx,
  kind: KindName,
  id: string,
  homeNamespace: string,
): Promise<Manifest | undefined> {
  const row = await tx.row<{ spec: Record<string, unknown> }>(SPECS[kind], [id]);
  if (!row) return undefined;
  const { namespace, name } = objectRef(id, homeNamespace);
  return {
    apiVersion: API_VERSION,
    kind,
    metadata: { name, namespace },
    spec: withRefs(asGiven(withoutNulls(row.spec))),
  };
}

/** A node as people write it: what its row fills in is not said. */
function asGiven(spec: Record<string, unknown>): Record<string, unknown> {
  const graph = spec['graph'] as { nodes: { label?: string; config?: object }[] } | undefined;
  if (!graph) return spec;
  const nodes = graph.nodes.map(({ label, config, ...node }) => ({
    ...node,
    ...(label ? { label } : {}),
    ...(config && Object.keys(config).length > 0 ? { config } : {}),
  }));
  return { ...spec, graph: { ...graph, nodes } };
}

/** References hold the name of the same namespace, rows hold the id. */
function withRefs(spec: Record<string, unknown>): Record<string, unknown> {
  const refs = ['workspaceRef', 'campaignRef'].flatMap((field) =>
    typeof spec[field] === 'string' ? [[field, { name: refName(spec[field]) }] as const] : [],
  );
  return { ...spec, ...Object.fromEntries(refs) };
}

/** What is null in a row is absent in a spec; configs of nodes are as they were given. */
function withoutNulls<T>(value: T, path = ''): T {
  if (value === null || typeof value !== 'object' || path.endsWith('.config')) return value;
  if (Array.isArray(value)) return value.map((one) => withoutNulls(one, path)) as T;
  const kept = Object.entries(value).flatMap(([key, inner]) =>
    inner === null ? [] : [[key, withoutNulls(inner, `${path}.${key}`)] as const],
  );
  return Object.fromEntries(kept) as T;
}

/** What was deleted and can be brought back, or was made anew while runs that its deletion ended wait to be taken up. */
export interface DeletedObject {
  kind: KindName;
  id: string;
  name: string;
  workspaceId: string;
  /** Epoch ms, product time. */
  deletedAt: number;
  /** Its object is there again. */
  madeAnew: boolean;
  /** Runs that come back with it. */
  runs: number;
}

/** Deleted objects whose content is still there and that what is above them outlived, and runs of those made anew; newest first. */
export function deletedObjects(tx: Tx, workspaceId?: string): Promise<DeletedObject[]> {
  return tx.rows<DeletedObject>(
    `with ended as materialized (
       select
         f.id, f.campaign_id, f.workspace_id, f.name, f.deleted_with_parent,
         f.deleted_at, greatest(f.last_deleted_at, f.deleted_at) as at,
         (select count(*)::int from app.ended_with(f.id)) as runs
       from workflow f
       where (f.last_deleted_at is not null or f.deleted_at is not null)
         and f.purged_at is null
         and f.purged_to is null
         and ($1::text is null or f.workspace_id = $1)
     )
     select 'Workspace' as kind, w.id, w.name, w.id as "workspaceId", w.deleted_at as "deletedAt", false as "madeAnew",
       (
         select coalesce(sum(e.runs), 0)::int
         from ended e
         join campaign c on c.id = e.campaign_id and c.deleted_with_parent
         where e.workspace_id = w.id and e.deleted_with_parent
       ) as runs
     from workspace w
     where w.deleted_at is not null
       and w.purged_at is null
       and w.erase_at is null
       and ($1::text is null or w.id = $1)
     union all
     select 'Campaign', c.id, c.title, c.workspace_id, c.deleted_at, false,
       (select coalesce(sum(e.runs), 0)::int from ended e where e.campaign_id = c.id and e.deleted_with_parent)
     from campaign c
     join workspace w on w.id = c.workspace_id and w.deleted_at is null
     where c.deleted_at is not null and c.purged_at is null and ($1::text is null or c.workspace_id = $1)
     union all
     select 'Workflow', e.id, e.name, e.workspace_id, e.at, e.deleted_at is null, e.runs
     from ended e
     join campaign c on c.id = e.campaign_id and c.deleted_at is null
     where e.deleted_at is not null or e.runs > 0
     order by 5 desc limit 1000`,
    [workspaceId ?? null],
  );
}
