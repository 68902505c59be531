import type { WorkflowSpec } from '../../api/specs.ts';
import { UserError } from '../../base/errors.ts';
import type { Graph } from '../../domain/graph.ts';
import type { Tx } from '../../postgres/database.ts';
import { insertContent } from '../../store/campaigns/campaign-content.ts';
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
  const withNewId = <Row extends { id: string }>(row: Row): Row => ({ ...row, id: copy.renamed.get(row.id) ?? row.id });
  const parts = { icps: icps.map(withNewId), personas: personas.map(withNewId), phases: phases.map(withNewId) };
  await insertContent(tx, parts, copy);
}

/** A value of a node's config with old ids replaced, at any depth. */
export function withNewIds<T>(value: T, renamed: Renamed): T {
  if (typeof value === 'string') return (renamed.get(value) ?? value) as T;
  if (Array.isArray(value)) return value.map((inner) => withNewIds(inner, renamed)) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withNewIds(inner, renamed)])) as T;
}
