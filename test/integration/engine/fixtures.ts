import { randomUUID } from 'node:crypto';
import type { Database } from '../../../pkg/postgres/database.ts';
import { connectMailbox } from '../../../pkg/store/mail/mailboxes.ts';

const START = Date.UTC(2026, 0, 1);
const SERVER = '127.0.0.1';
const ALWAYS = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };
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
        JSON.stringify(options.hours ?? ALWAYS),
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

/** People who answer nothing and whose servers take every mail. */
export const QUIET = {
  bounce: 'none',
  replyText: '',
  replyFrom: '',
  newThread: false,
  autoReply: '',
  complains: false,
};

/** A mailbox of the sandbox that writes at any hour, without ramp-up; its address is `<id>@agency.example`. */
export async function addMailbox(
  app: Database,
  ws: string,
  options: {
    smtpPort: number;
    imapPort: number;
    sealed?: (accountId: string) => Buffer;
    savesSent?: boolean;
    limit?: number;
    now?: number;
    domain?: string;
  },
): Promise<string> {
  const accountId = `box-${short()}`;
  const address = mailAddress(accountId, options.domain);
  await app.tx({ kind: 'platform' }, async (tx) => {
    await connectMailbox(tx, ws, {
      accountId,
      provider: 'sandbox',
      displayName: 'Grace Hopper',
      address,
      smtpHost: SERVER,
      smtpPort: options.smtpPort,
      smtpTls: 'none',
      imapHost: SERVER,
      imapPort: options.imapPort,
      imapTls: 'none',
      username: address,
      sealed: options.sealed?.(accountId) ?? Buffer.alloc(0),
      savesSent: options.savesSent ?? true,
      sentFolder: 'Sent',
      timezone: 'UTC',
      dailyMailLimit: options.limit ?? 40,
      resume: false,
      now: options.now ?? START,
    });
    await tx.exec('update network_account set business_hours = $2, ramp_enabled = false where id = $1', [
      accountId,
      JSON.stringify(ALWAYS),
    ]);
  });
  return accountId;
}

/** Address of a mailbox that {@link addMailbox} made. */
export function mailAddress(accountId: string, domain = 'agency.example'): string {
  return `${accountId}@${domain}`;
}
