import { z } from 'zod';
import type { SignalOutcome } from '../../domain/signals/agent-rules.ts';
import type { Tx } from '../../postgres/database.ts';
import { type CompactForm, cut } from '../compact.ts';
import { type SignalRow, signalOf, signalRecord } from '../signals/signal-row.ts';
import { iso } from '../times.ts';

/** Outcomes as callers see them. */
export const SHOWN_OUTCOMES = [
  'no_lead',
  'self_caused',
  'not_matched',
  'expired',
  'excluded',
  'duplicate',
  'contacted',
  'below_score',
  'limit',
  'enqueued',
] as const;
export type ShownOutcome = (typeof SHOWN_OUTCOMES)[number];

/** Catalog record SignalAgentLead. */
export const signalAgentLead = z.object({
  leadId: z.string().nullable().describe('null: nobody of the company is known.'),
  fullName: z.string(),
  company: z.string(),
  signal: signalRecord,
  score: z.number(),
  outcome: z.enum(SHOWN_OUTCOMES),
  reason: z.string(),
  at: z.string(),
});

/** A decision of a list: as much of it as the caller asked for. */
export const listedAgentLead = signalAgentLead
  .partial()
  .extend({ signal: signalRecord.partial().required({ signalId: true }) });

/** Who, by what, and what became of it; evidence is in the single signal. */
export const AGENT_LEAD_FORM: CompactForm = {
  id: 'leadId',
  known: Object.keys(signalAgentLead.shape),
  kept: ['fullName', 'signal', 'score', 'outcome', 'reason', 'at'],
  short: {
    fullName: (name: string) => cut(name, 30),
    reason: (reason: string) => cut(reason, 40),
    signal: ({ signalId, type, title }: SignalRow & { signalId: string }) => ({
      signalId,
      type,
      title: cut(title, 30),
    }),
  },
};

/** A decision with the lead and the signal that it is about. */
export interface AgentLeadRow {
  signal_id: string;
  subject_id: string;
  lead_id: string | null;
  full_name: string;
  company: string;
  signal: SignalRow;
  score: number;
  outcome: SignalOutcome;
  reason: string;
  decided_at: number;
}

/** Decisions of an agent, or of one run of it, newest first. @param page `after`: time, signal and subject of the last one that is known */
export function agentLeads(
  tx: Tx,
  of: { agentId: string; outcomes: readonly SignalOutcome[] | null; scheduledRunId?: string },
  page: { after: readonly (string | number | null)[] | null; limit: number },
): Promise<AgentLeadRow[]> {
  return tx.rows<AgentLeadRow>(
    `select
       d.signal_id, d.subject_id, d.lead_id, d.score, d.outcome, d.reason, d.decided_at,
       coalesce(l.full_name, '') as full_name,
       coalesce(l.company, k.name, '') as company,
       to_jsonb(s) || jsonb_build_object('subject', coalesce(nullif(l.full_name, ''), k.name, '')) as signal
     from signal_decision d
     join signal s on s.id = d.signal_id
     left join lead l on l.id = d.lead_id and l.erased_at is null
     left join company k on k.id = s.company_id
     where d.agent_id = $1
       and ($2::text[] is null or d.outcome = any ($2))
       and ($7::uuid is null or d.scheduled_run_id = $7)
       and ($3::bigint is null or (d.decided_at, d.signal_id, d.subject_id) < ($3, $4::uuid, $5::uuid))
     order by d.decided_at desc, d.signal_id desc, d.subject_id desc limit $6`,
    [
      of.agentId,
      of.outcomes,
      page.after?.[0] ?? null,
      page.after?.[1] ?? null,
      page.after?.[2] ?? null,
      page.limit,
      of.scheduledRunId ?? null,
    ],
  );
}

/** The record of a decision. @param now epoch ms UTC, product time */
export function agentLeadOf(row: AgentLeadRow, now: number): z.input<typeof signalAgentLead> {
  return {
    leadId: row.lead_id,
    fullName: row.full_name,
    company: row.company,
    signal: signalOf(row.signal, now),
    score: row.score,
    outcome: shownOutcome(row.outcome),
    reason: row.reason,
    at: iso(row.decided_at),
  };
}

function shownOutcome(outcome: SignalOutcome): ShownOutcome {
  return outcome === 'lead_limit' || outcome === 'credit_limit' ? 'limit' : outcome;
}
