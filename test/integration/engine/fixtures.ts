import { randomUUID } from 'node:crypto';
import type { Database } from '../../../pkg/postgres/database.ts';

const START = Date.UTC(2026, 0, 1);
const short = (): string => randomUUID().slice(0, 8);

/** A running workspace; returns its id. */
export async function addWorkspace(
  app: Database,
  options: { id?: string; agencyId?: string | null } = {},
): Promise<string> {
  const id = options.id ?? `ws-${short()}`;
  await app.tx({ kind: 'platform' }, (tx) =>
    tx.exec(
      'insert into workspace (id, uid, name, agency_id, created_at, updated_at) values ($1, $1, $1, $2, $3, $3)',
      [id, options.agencyId ?? null, START],
    ),
  );
  return id;
}

/** An active campaign with these settings. */
export async function addCampaign(
  app: Database,
  ws: string,
  settings: object = {},
  id = `camp-${short()}`,
): Promise<string> {
  await app.tx({ kind: 'platform' }, (tx) =>
    tx.exec(
      `insert into campaign (id, workspace_id, uid, title, state, settings, created_at, updated_at) values ($1, $2, $1, 'T', 'active', $3, $4, $4)`,
      [id, ws, JSON.stringify(settings), START],
    ),
  );
  return id;
}

export interface GraphInput {
  nodes: { nodeId?: string; nodeType: string; label?: string; config?: object }[];
  edges: { sourceIndex: number; targetIndex: number; branch?: string }[];
}

/** An enabled workflow with this graph as version 1; nodes without an id become n0, n1 … */
export async function addWorkflow(
  app: Database,
  ws: string,
  camp: string,
  graph: GraphInput,
  id = `wf-${short()}`,
): Promise<string> {
  const stored = {
    nodes: graph.nodes.map((node, index) => ({
      nodeId: node.nodeId ?? `n${index}`,
      nodeType: node.nodeType,
      label: node.label ?? `n${index}`,
      config: node.config ?? {},
    })),
    edges: graph.edges,
  };
  await app.tx({ kind: 'platform' }, async (tx) => {
    await tx.exec(
      `insert into workflow (id, workspace_id, campaign_id, uid, name, enabled, graph_version, node_count, created_at, updated_at)
       values ($1, $2, $3, $1, 'W', true, 1, $4, $5, $5)`,
      [id, ws, camp, stored.nodes.length + 1, START],
    );
    await tx.exec(
      `insert into workflow_graph (workspace_id, workflow_id, version, graph, node_types_version, created_at) values ($1, $2, 1, $3, '1.0.0', $4)`,
      [ws, id, JSON.stringify(stored), START],
    );
  });
  return id;
}

/** A lead (shared when `ws` is null) with a profile of its own unless told otherwise. */
export async function addLead(
  app: Database,
  ws: string | null,
  lead: { id?: string; profileId?: string | null; email?: string | null; firstName?: string; company?: string },
): Promise<string> {
  const id = lead.id ?? randomUUID();
  const profileId = lead.profileId === undefined ? `person-${id.slice(0, 13)}` : lead.profileId;
  await app.tx({ kind: 'platform' }, (tx) =>
    tx.exec(
      `insert into lead (id, workspace_id, first_name, last_name, full_name, company, company_key, profile_id, profile_url, email, created_at, updated_at)
       values ($1, $2, $3, 'Test', $3 || ' Test', $4, lower($4), $5, $6, $7, $8, $8)`,
      [
        id,
        ws,
        lead.firstName ?? 'Ada',
        lead.company ?? `Company ${id}`,
        profileId,
        profileId ? `https://www.linkedin.com/in/${profileId}` : '',
        lead.email ?? null,
        START,
      ],
    ),
  );
  return id;
}

/** A healthy account without ramp-up, linked to the workspaces. */
export async function addAccount(
  app: Database,
  workspaces: string[],
  options: {
    id?: string;
    tier?: string;
    timezone?: string;
    limits?: object;
    ramp?: boolean;
    shares?: number[];
    hours?: object;
    pacing?: object;
  } = {},
): Promise<string> {
  const id = options.id ?? `acc-${short()}`;
  const always = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };
  await app.tx({ kind: 'platform' }, async (tx) => {
    await tx.exec(
      `insert into network_account (id, external_id, display_name, tier, status_since, timezone, limits, ramp_enabled, business_hours, pacing, created_at)
       values ($1, $1, 'Sender', $2, 1, $3, $4, $5, $6, $7, $8)`,
      [
        id,
        options.tier ?? 'sales',
        options.timezone ?? 'UTC',
        JSON.stringify(options.limits ?? {}),
        options.ramp ?? false,
        JSON.stringify(options.hours ?? always),
        options.pacing ? JSON.stringify(options.pacing) : null,
        START,
      ],
    );
    for (const [index, ws] of workspaces.entries()) {
      await tx.exec('insert into account_link (account_id, workspace_id, share, linked_at) values ($1, $2, $3, 1)', [
        id,
        ws,
        options.shares?.[index] ?? 0,
      ]);
    }
  });
  return id;
}
