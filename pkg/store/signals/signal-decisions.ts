import { canonicalJson } from '../../base/json.ts';
import type { AgentRules } from '../../domain/signals/agent-rules.ts';
import type { SignalDecision, SignalFacts } from '../../domain/signals/decide-signal.ts';
import type { Tx } from '../../postgres/database.ts';

/** A decision with what it rests on. */
export interface KeptDecision extends SignalDecision {
  signalId: string;
  subjectId: string;
  leadId: string | null;
  personId: string | null;
  /** Of the workflow; null: nobody was enrolled. */
  runId: string | null;
  facts: SignalFacts;
  credits: number;
}

/** Keeps the rules by which an agent decides, once. @returns their version */
export async function keepRules(
  tx: Tx,
  agent: { id: string; workspaceId: string },
  rules: AgentRules,
): Promise<number> {
  const last = await tx.row<{ version: number; rules: AgentRules }>(
    'select version, rules from signal_agent_rules where agent_id = $1 order by version desc limit 1',
    [agent.id],
  );
  if (last && canonicalJson(last.rules) === canonicalJson(rules)) return last.version;
  const version = (last?.version ?? 0) + 1;
  await tx.exec('insert into signal_agent_rules (agent_id, version, workspace_id, rules) values ($1, $2, $3, $4)', [
    agent.id,
    version,
    agent.workspaceId,
    JSON.stringify(rules),
  ]);
  return version;
}

/**
 * Keeps decisions: one for a signal and a person, whichever runs decide; one that met a limit makes room for a later one. That an agent
 * enqueues a person once is a constraint.
 * @returns how many are new or changed
 * @throws Error of the database when the agent enqueued one of the persons before
 */
export async function keepDecisions(
  tx: Tx,
  of: { agentId: string; workspaceId: string; scheduledRunId: string; rulesVersion: number; now: number },
  decisions: readonly KeptDecision[],
): Promise<number> {
  if (decisions.length === 0) return 0;
  return tx.exec(
    `insert into signal_decision as d (agent_id, signal_id, subject_id, workspace_id, lead_id, person_id,
       scheduled_run_id, run_id, outcome, score, reason, rules_version, facts, credits, decided_at)
     select $1, x."signalId", x."subjectId", $2, x."leadId", x."personId", $3, x."runId", x.outcome, x.score, x.reason,
       $4, x.facts, x.credits, $5
     from jsonb_to_recordset($6::jsonb) as x ("signalId" uuid, "subjectId" uuid, "leadId" uuid, "personId" uuid,
       "runId" uuid, outcome text, score real, reason text, facts jsonb, credits int)
     on conflict (agent_id, signal_id, subject_id) do update set
       lead_id = excluded.lead_id,
       person_id = excluded.person_id,
       scheduled_run_id = excluded.scheduled_run_id,
       run_id = excluded.run_id,
       outcome = excluded.outcome,
       score = excluded.score,
       reason = excluded.reason,
       rules_version = excluded.rules_version,
       facts = excluded.facts,
       credits = excluded.credits,
       decided_at = excluded.decided_at
       where d.outcome in ('lead_limit', 'credit_limit')`,
    [of.agentId, of.workspaceId, of.scheduledRunId, of.rulesVersion, of.now, JSON.stringify(decisions)],
  );
}
