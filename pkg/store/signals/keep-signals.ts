import type { SignalType } from '../../domain/signal-score.ts';
import type { Tx } from '../../postgres/database.ts';

/** Where a signal was seen. */
export interface SignalEvidence {
  url: string;
  excerpt: string;
}

/** What somebody found out. Times epoch ms, product time. */
export interface FoundSignal {
  id: string;
  /** pkg/domain/signals/natural-key.ts */
  key: string;
  type: SignalType;
  leadId: string | null;
  companyId: string | null;
  title: string;
  occurredAt: number;
  expiresAt: number;
  evidence: readonly SignalEvidence[];
  /** The agent whose scan brought the person, which costs a credit once it enqueues them; absent: the person was known. */
  foundBy?: string | null;
  /** Our own accounts caused it: it is kept, and finds nobody. */
  selfCaused?: boolean;
}

/** Sources of one signal that are kept. */
const MOST_EVIDENCE = 20;

/**
 * Keeps signals under what happened: one that is known gets the evidence of a further source and is no second signal. Tells the new
 * ones (signal.detected).
 * @returns ids of the new ones
 */
export async function keepSignals(
  tx: Tx,
  workspaceId: string,
  found: readonly FoundSignal[],
  now: number,
): Promise<string[]> {
  if (found.length === 0) return [];
  const once = [...new Map(found.map((signal) => [signal.key, signal])).values()];
  const rows = await tx.rows<{ id: string; made: boolean }>(
    `insert into signal as s (id, workspace_id, type, lead_id, company_id, title, occurred_at, detected_at, expires_at,
       evidence, natural_key, found_by, self_caused)
     select
       x.id, $1, x.type, x."leadId", x."companyId", x.title, x."occurredAt", $2, x."expiresAt", x.evidence, x.key,
       x."foundBy", coalesce(x."selfCaused", false)
     from jsonb_to_recordset($3::jsonb) as x (id uuid, key text, type text, "leadId" uuid, "companyId" uuid, title text,
       "occurredAt" bigint, "expiresAt" bigint, evidence jsonb, "foundBy" uuid, "selfCaused" boolean)
     order by x.key
     on conflict (coalesce(workspace_id, ''), natural_key) where natural_key is not null do update set
       evidence = s.evidence || excluded.evidence
       where not s.evidence @> excluded.evidence and jsonb_array_length(s.evidence) < ${MOST_EVIDENCE}
     returning s.id, s.xmax = 0 as made`,
    [workspaceId, now, JSON.stringify(once)],
  );
  const made = rows.filter((row) => row.made).map((row) => row.id);
  if (made.length > 0)
    await tx.exec(
      `insert into run_event (workspace_id, at, kind, actor, data) values ($1, $2, 'signal.detected', 'system', $3)`,
      [workspaceId, now, JSON.stringify({ signalIds: made })],
    );
  return made;
}

/** Signals that one call tells at most: as many as one event names. */
export const TOLD_AT_ONCE = 1_000;

/**
 * Tells of signals that have ended (signal.expired), each once. Platform only.
 * @param now epoch ms, product time
 * @returns how many; as many as `TOLD_AT_ONCE`: there may be more
 */
export function tellEnded(tx: Tx, now: number): Promise<number> {
  return tx
    .row<{ told: number }>(
      `with ended as (
         update signal
         set end_told = true
         where id = any (array(
           select s.id
           from signal s
           where s.natural_key is not null and not s.end_told and s.expires_at <= $1
           order by s.expires_at limit ${TOLD_AT_ONCE}
         ))
         returning id, workspace_id
       ),
       told as (
         insert into run_event (workspace_id, at, kind, actor, data)
         select
           e.workspace_id, $1, 'signal.expired', 'system',
           jsonb_build_object('signalIds', jsonb_agg(e.id order by e.id))
         from ended e
         where e.workspace_id is not null
         group by e.workspace_id
       )
       select count(*)::int as told from ended`,
      [now],
    )
    .then((row) => row?.told ?? 0);
}
