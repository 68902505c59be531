import type { PeopleCriteria } from '../../domain/people-criteria.ts';
import type { SignalType } from '../../domain/signal-score.ts';
import type { Tx } from '../../postgres/database.ts';

/** What people may set of an agent; its name, campaign and times are its schedule's. */
export interface AgentSettings {
  signalTypes: readonly SignalType[];
  criteria: PeopleCriteria;
  /** Null: whichever workflow listens to it. */
  workflowId: string | null;
  /** Null: any account of the workspace. */
  networkAccountId: string | null;
  minScore: number | null;
  dailyLeadLimit: number;
  /** Null: no limit of its own. */
  dailyCreditLimit: number | null;
  /** '': none of its own. */
  playbook: string;
  handleReplies: boolean;
  /** What must be true of a signal, in the owner's words; '': the criteria alone decide. */
  judge: string;
}

/** A signal agent. Times epoch ms UTC, product time. */
export interface SignalAgent extends AgentSettings {
  id: string;
  workspaceId: string;
  campaignId: string | null;
  name: string;
  cron: string;
  timezone: string;
  active: boolean;
  nextFor: number | null;
  playbookVersion: number;
  /** Signals that were detected before are none of its business. */
  since: number | null;
  /** Null: it is active, or never was. */
  pausedAt: number | null;
  skippedWhilePaused: number;
  createdAt: number;
  updatedAt: number;
}

const AGENT = `a.id, a.workspace_id as "workspaceId", s.campaign_id as "campaignId", s.name, s.cron, s.timezone,
  s.enabled as active, s.next_for as "nextFor", a.signal_types as "signalTypes", a.criteria,
  a.workflow_id as "workflowId", a.network_account_id as "networkAccountId", a.min_score as "minScore",
  a.daily_lead_limit as "dailyLeadLimit", a.daily_credit_limit as "dailyCreditLimit", a.playbook,
  a.playbook_version as "playbookVersion", a.handle_replies as "handleReplies", a.judge, a.since, a.paused_at as "pausedAt",
  a.skipped_while_paused as "skippedWhilePaused", a.created_at as "createdAt", a.updated_at as "updatedAt"
  from signal_agent a
  join schedule s on s.id = a.id and s.deleted_at is null`;

/** @param id a UUID @returns undefined when the transaction sees no such agent */
export function readAgent(tx: Tx, id: string): Promise<SignalAgent | undefined> {
  return tx.row<SignalAgent>(`select ${AGENT} where a.id = $1`, [id]);
}

/** As `readAgent`, locked: its limits, its pauses and what it decides come one after the other. */
export function lockAgent(tx: Tx, id: string): Promise<SignalAgent | undefined> {
  return tx.row<SignalAgent>(`select ${AGENT} where a.id = $1 for update of a`, [id]);
}

/** Agents of a workspace, oldest first. @param page `after`: creation time and id of the last one that is known */
export function agentsOf(
  tx: Tx,
  of: { workspaceId: string; campaignId: string | null; active: boolean | null },
  page: { after: readonly (string | number | null)[] | null; limit: number },
): Promise<SignalAgent[]> {
  return tx.rows<SignalAgent>(
    `select ${AGENT}
     where a.workspace_id = $1
       and ($2::text is null or s.campaign_id = $2)
       and ($3::boolean is null or s.enabled = $3)
       and ($4::bigint is null or (a.created_at, a.id) > ($4, $5::uuid))
     order by a.created_at, a.id limit $6`,
    [of.workspaceId, of.campaignId, of.active, page.after?.[0] ?? null, page.after?.[1] ?? null, page.limit],
  );
}

/** How many agents a workspace has; another transaction that makes some waits for the end of this one. */
export async function lockAgentsOf(tx: Tx, workspaceId: string): Promise<number> {
  await tx.exec(`select pg_advisory_xact_lock(hashtextextended('signal agents of ' || $1, 0))`, [workspaceId]);
  const row = await tx.row<{ count: number }>(
    `select count(*)::int as count
     from signal_agent a
     join schedule s on s.id = a.id and s.deleted_at is null
     where a.workspace_id = $1`,
    [workspaceId],
  );
  return row?.count ?? 0;
}

/** Makes the agent of a schedule that is there. @param agent `now`: epoch ms, product time */
export async function insertAgent(
  tx: Tx,
  agent: AgentSettings & { id: string; workspaceId: string; now: number },
): Promise<void> {
  await tx.exec(
    `insert into signal_agent (id, workspace_id, signal_types, criteria, workflow_id, network_account_id, min_score,
       daily_lead_limit, daily_credit_limit, playbook, handle_replies, judge, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)`,
    [agent.id, agent.workspaceId, ...settingsOf(agent), agent.now],
  );
}

/** Changes what people may set; its next run goes by it. Lock it first. */
export async function updateAgent(tx: Tx, id: string, settings: AgentSettings, now: number): Promise<void> {
  await tx.exec(
    `update signal_agent
     set
       signal_types = $2,
       criteria = $3,
       workflow_id = $4,
       network_account_id = $5,
       min_score = $6,
       daily_lead_limit = $7,
       daily_credit_limit = $8,
       playbook_version = playbook_version + case when playbook = $9 then 0 else 1 end,
       playbook = $9,
       handle_replies = $10,
       judge = $11,
       updated_at = greatest($12, updated_at + 1)
     where id = $1`,
    [id, ...settingsOf(settings), now],
  );
}

function settingsOf(settings: AgentSettings): unknown[] {
  return [
    settings.signalTypes,
    JSON.stringify(settings.criteria),
    settings.workflowId,
    settings.networkAccountId,
    settings.minScore,
    settings.dailyLeadLimit,
    settings.dailyCreditLimit,
    settings.playbook,
    settings.handleReplies,
    settings.judge,
  ];
}

/** The agent does nothing from now on; where it stands is kept. */
export async function notePause(tx: Tx, id: string, now: number): Promise<void> {
  await tx.exec('update signal_agent set paused_at = $2, updated_at = $2 where id = $1', [id, now]);
}

/**
 * The agent goes on: with signals of its pause from `since` on. Those before are skipped, and counted.
 * @param resume `since`: null: with all that are on record. Times epoch ms, product time
 */
export async function noteResume(
  tx: Tx,
  agent: SignalAgent,
  resume: { since: number | null; now: number },
): Promise<void> {
  await tx.exec(
    `update signal_agent a
     set
       paused_at = null,
       since = greatest(a.since, $2::bigint),
       skipped_while_paused = a.skipped_while_paused + case when $2::bigint is null then 0 else (
         select count(*)::int
         from signal x
         where (x.workspace_id = a.workspace_id or x.workspace_id is null)
           and x.type = any (a.signal_types)
           and x.detected_at >= coalesce(a.paused_at, $2)
           and x.detected_at < $2
           and not exists (select 1 from signal_decision d where d.agent_id = a.id and d.signal_id = x.id)
       ) end,
       updated_at = $3
     where a.id = $1`,
    [agent.id, resume.since, resume.now],
  );
}
