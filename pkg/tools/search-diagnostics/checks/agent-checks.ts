import type { SignalOutcome } from '../../../domain/signals/agent-rules.ts';
import type { Tx } from '../../../postgres/database.ts';
import { lastRuns } from '../../../store/schedules/scheduled-runs.ts';
import { agentStops } from '../../../store/signals/agent-stops.ts';
import type { SignalAgent } from '../../../store/signals/signal-agents.ts';
import { type SignalSource, sourcesOf } from '../../../store/signals/signal-sources.ts';
import { notFound } from '../../errors.ts';
import { requireAgent } from '../../signal-agents/agent-row.ts';
import { type Check, type CheckContext, fail, pass, waits } from './check.ts';

/** Why a signal agent finds nobody: what takes people, whether it runs, and what became of what it saw. */
export async function agentChecks({ tx, workspaceId, targetId }: CheckContext): Promise<Check[]> {
  const agent = await requireAgent(tx, targetId);
  if (agent.workspaceId !== workspaceId) throw notFound('signalAgent', targetId);
  return [
    await workflowCheck(tx, agent),
    activeCheck(agent),
    sourcesCheck(agent, await sourcesOf(tx, [agent.id])),
    await criteriaCheck(tx, agent),
  ];
}

async function workflowCheck(tx: Tx, agent: SignalAgent): Promise<Check> {
  const stop = await agentStops(tx, agent);
  if (stop === null) return pass('agent_workflow', 'An enabled workflow takes whom it finds.');
  const detail = `${stop.slice(0, 1).toUpperCase()}${stop.slice(1)}`;
  return agent.workflowId !== null && stop.includes('is disabled')
    ? fail('agent_workflow', detail, 'svc_update_workflow_status', { workflowId: agent.workflowId, enabled: true })
    : fail('agent_workflow', detail, 'svc_update_signal_agent', { signalAgentId: agent.id });
}

function activeCheck(agent: SignalAgent): Check {
  if (agent.active) return pass('agent_active', 'It is active and runs by its schedule.');
  return fail('agent_active', 'It is paused: it runs only when somebody runs it.', 'svc_resume_signal_agent', {
    signalAgentId: agent.id,
  });
}

/** Feeds and sites that can not be read, and an agent that has none and looks for what only they tell. */
function sourcesCheck(agent: SignalAgent, sources: readonly SignalSource[]): Check {
  const failing = sources.filter((source) => source.faults > 0);
  const [first] = failing;
  if (first) {
    const rest = sources.filter((source) => source.faults === 0);
    return fail(
      'agent_sources',
      `${failing.length} of its ${sources.length} sources can not be read, ${first.url} for ${first.faults} looks: ${first.fault}. Name where they are now, or leave them out.`,
      'svc_update_signal_agent',
      { signalAgentId: agent.id, sources: rest.map(givenOf) },
    );
  }
  if (sources.length === 0 && agent.signalTypes.every((type) => type === 'funding_round'))
    return fail(
      'agent_sources',
      'It looks for funding rounds, which feeds and sites tell of, and has none: name some in sources, or other signalTypes.',
      'svc_update_signal_agent',
      { signalAgentId: agent.id },
    );
  return pass('agent_sources', sources.length === 0 ? 'It needs no feed or site.' : 'Its feeds and sites are read.');
}

function givenOf({ kind, url, companyId }: SignalSource): object {
  return { kind, url, ...(companyId === null ? {} : { companyId }) };
}

/** Since somebody last changed it: what was decided under other rules says nothing of these. */
async function criteriaCheck(tx: Tx, agent: SignalAgent): Promise<Check> {
  const rows = await tx.rows<{ outcome: SignalOutcome; count: number; reason: string }>(
    `select outcome, count(*)::int as count, mode() within group (order by reason) as reason
     from signal_decision
     where agent_id = $1 and decided_at >= $2
     group by outcome
     order by count(*) desc`,
    [agent.id, agent.updatedAt],
  );
  const [most] = rows;
  const [last] = await lastRuns(tx, agent.id, 1);
  const run = last ? `Its last run ${last.state}${last.error === null ? '' : ` (${last.error})`}.` : 'It never ran.';
  if (!most) return waits('agent_criteria', `It has seen no signal since it was changed. ${run}`);
  const seen = rows.map((row) => `${row.outcome} ${row.count}`).join(', ');
  if (rows.some((row) => row.outcome === 'enqueued' || row.outcome === 'lead_limit'))
    return pass('agent_criteria', `It finds people: ${seen}.`);
  if (most.outcome !== 'not_matched' && most.outcome !== 'below_score')
    return pass('agent_criteria', `Whom it looks for is there, but: ${seen} (most often: ${most.reason}).`);
  return fail(
    'agent_criteria',
    `Of all signals that it saw nobody passed its rules: ${seen} (most often: ${most.reason}). Widen criteria or minScore.`,
    'svc_update_signal_agent',
    { signalAgentId: agent.id },
  );
}
