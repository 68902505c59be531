import type { WorkflowSpec } from '../../api/specs.ts';
import { UserError } from '../../base/errors.ts';
import type { Graph } from '../../domain/graph.ts';
import type { Tx } from '../../postgres/database.ts';
import type { IcpRow } from '../icps/icp-row.ts';
import type { PersonaRow } from '../personas-phases/persona-row.ts';
import type { PhaseRow } from '../personas-phases/phase-row.ts';

/** A workflow as it can be made again elsewhere. */
export interface WorkflowCopy {
  /** Of the original. */
  id: string;
  name: string;
  graph: Graph;
  networkAccountIds: string[];
  providerAccountIds: string[];
  inFlight: WorkflowSpec['inFlight'];
}

/** What a campaign holds besides its settings and leads. */
export interface CampaignContent {
  icps: IcpRow[];
  personas: PersonaRow[];
  phases: PhaseRow[];
  workflows: WorkflowCopy[];
}

/** Parts of one kind that one copy may have; each workflow is a resource that is made while the caller waits. */
const MOST = { parts: 500, workflows: 50 };

/** Reads everything that a copy takes along, in the order in which it was made. @throws UserError when it is too much */
export async function readContent(tx: Tx, campaignId: string): Promise<CampaignContent> {
  const [icps, personas, phases] = [
    await tx.rows<IcpRow>('select * from icp where campaign_id = $1 and deleted_at is null order by id', [campaignId]),
    await tx.rows<PersonaRow>('select * from persona where campaign_id = $1 order by id', [campaignId]),
    await tx.rows<PhaseRow>('select * from phase where campaign_id = $1 order by position', [campaignId]),
  ];
  const workflows = await tx.rows<WorkflowCopy>(
    `select
       w.id,
       w.name,
       g.graph,
       w.network_account_ids as "networkAccountIds",
       w.provider_account_ids as "providerAccountIds",
       w.in_flight as "inFlight"
     from workflow w
     join workflow_graph g on g.workflow_id = w.id and g.version = w.graph_version
     where w.campaign_id = $1 and w.deleted_at is null
     order by w.created_at, w.id`,
    [campaignId],
  );
  if (workflows.length > MOST.workflows || icps.length + personas.length + phases.length > MOST.parts) {
    throw new UserError(
      `The campaign has more than ${MOST.workflows} workflows or ${MOST.parts} parts, too much for one copy. Call svc_list_workflows.`,
      'TooLarge',
    );
  }
  return { icps, personas, phases, workflows };
}

/** Which new id stands for which old one. */
export type Renamed = ReadonlyMap<string, string>;

/** Writes ICPs (unscored), personas and phases of a copy. `renamed` names the new id of every row. */
export async function writeContent(
  tx: Tx,
  { icps, personas, phases }: CampaignContent,
  copy: { workspaceId: string; campaignId: string; now: number; renamed: Renamed },
): Promise<void> {
  const { workspaceId, campaignId, now, renamed } = copy;
  const rows = (list: readonly { id: string }[]): string =>
    JSON.stringify(list.map((row) => ({ ...row, id: renamed.get(row.id) })));
  await tx.exec(
    `insert into icp (
       id, workspace_id, campaign_id, titles, industries, seniorities, company_sizes, keywords, created_at
     )
     select n.id, $1, $2, n.titles, n.industries, n.seniorities, n.company_sizes, n.keywords, $3
     from jsonb_populate_recordset(null::icp, $4::jsonb) n`,
    [workspaceId, campaignId, now, rows(icps)],
  );
  await tx.exec(
    `insert into persona (
       id, workspace_id, campaign_id, name, description, pain_points, goals, objections, created_at, updated_at
     )
     select n.id, $1, $2, n.name, n.description, n.pain_points, n.goals, n.objections, $3, $3
     from jsonb_populate_recordset(null::persona, $4::jsonb) n`,
    [workspaceId, campaignId, now, rows(personas)],
  );
  await tx.exec(
    `insert into phase (
       id, workspace_id, campaign_id, name, description, objectives, phase_type, position, created_at,
       updated_at
     )
     select n.id, $1, $2, n.name, n.description, n.objectives, n.phase_type, n.position, $3, $3
     from jsonb_populate_recordset(null::phase, $4::jsonb) n`,
    [workspaceId, campaignId, now, rows(phases)],
  );
}

/** A value of a node's config with old ids replaced, at any depth. */
export function withNewIds<T>(value: T, renamed: Renamed): T {
  if (typeof value === 'string') return (renamed.get(value) ?? value) as T;
  if (Array.isArray(value)) return value.map((inner) => withNewIds(inner, renamed)) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withNewIds(inner, renamed)])) as T;
}
