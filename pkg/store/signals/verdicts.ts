import { createHash } from 'node:crypto';
import type { Verdict } from '../../domain/signals/judge-text.ts';
import type { Tx } from '../../postgres/database.ts';

/** Tells one question of an agent from another; null: it asks nobody. @param wanted in the owner's words */
export function askedKey(wanted: string | undefined): string | null {
  return wanted ? createHash('sha256').update(wanted).digest('hex').slice(0, 32) : null;
}

/** Keeps what was said of signals; what was said to another question before is forgotten. @param of `now`: epoch ms, product time */
export async function keepVerdicts(
  tx: Tx,
  of: { agentId: string; workspaceId: string; wanted: string; writer: string; now: number },
  verdicts: readonly (Verdict & { signalId: string })[],
): Promise<void> {
  await tx.exec(
    `insert into signal_verdict as v (agent_id, signal_id, workspace_id, asked, match, reason, evidence, writer,
       judged_at)
     select $1, s.id, $2, $3, x.match, x.reason, x.evidence, $4, $5
     from jsonb_to_recordset($6::jsonb) as x ("signalId" uuid, match boolean, reason text, evidence text)
     join signal s on s.id = x."signalId"
     order by s.id
     on conflict (agent_id, signal_id) do update set
       asked = excluded.asked,
       match = excluded.match,
       reason = excluded.reason,
       evidence = excluded.evidence,
       writer = excluded.writer,
       judged_at = excluded.judged_at`,
    [of.agentId, of.workspaceId, askedKey(of.wanted), of.writer, of.now, JSON.stringify(verdicts)],
  );
}
