import type {
  AttemptLedger,
  FieldResult,
  KeptAttempt,
  OpenedField,
  SettledField,
} from '../../domain/enrichment/attempt.ts';
import type { KnownFields } from '../../domain/enrichment/enrich-fields.ts';
import type { Tx } from '../../postgres/database.ts';

/** Real seconds until another may go on with what its holder left: longer than all providers of a round take. */
const LEASE_SECONDS = 120;

/** One piece of work on one lead or company. */
export interface EnrichmentWork {
  workspaceId: string;
  /** Whose exclusions count too. */
  campaignId: string | null;
  /** Lead or company. */
  subjectId: string;
  /** The same for every try of this work. */
  holder: string;
}

/** The ledger of attempts for one piece of work. @param inTx runs a transaction of the workspace; @param now epoch ms, product time */
export function attemptLedger(
  work: EnrichmentWork,
  inTx: <T>(run: (tx: Tx) => Promise<T>) => Promise<T>,
  now: () => number,
): AttemptLedger {
  const { workspaceId, campaignId, subjectId, holder } = work;
  return {
    open: (asks) =>
      inTx((tx) =>
        tx.rows<OpenedField>('select field, standing, attempts from app.begin_enrichment($1, $2, $3, $4, $5, $6, $7)', [
          workspaceId,
          campaignId,
          subjectId,
          JSON.stringify(asks),
          holder,
          now(),
          LEASE_SECONDS,
        ]),
      ),
    keep: (attempts: readonly KeptAttempt[]) =>
      inTx(async (tx) => {
        const row = await tx.row<{ kept: number }>('select app.keep_enrichment($1, $2, $3, $4, $5) as kept', [
          workspaceId,
          subjectId,
          holder,
          JSON.stringify(attempts),
          now(),
        ]);
        return row?.kept ?? 0;
      }),
    now,
  };
}

/** Writes what was found and closes the fields, each once. @returns those that were this work's, with what they cost */
export function settleEnrichment(
  tx: Tx,
  { workspaceId, subjectId, holder }: EnrichmentWork,
  results: readonly FieldResult[],
  now: number,
): Promise<SettledField[]> {
  if (results.length === 0) return Promise.resolve([]);
  return tx.rows<SettledField>('select field, state, credits from app.settle_enrichment($1, $2, $3, $4, $5)', [
    workspaceId,
    subjectId,
    holder,
    JSON.stringify(results),
    now,
  ]);
}

/** When fields of leads became known, and which a person entered or cleared; unknown ones, and an address at which no mail arrives, are absent. */
export async function readKnownFields(
  tx: Tx,
  leadIds: readonly string[],
): Promise<{ leadId: string; enriched: KnownFields }[]> {
  const by = (key: string): string => `l.provenance -> '${key}'`;
  const known = (key: string, isKnown: string): string =>
    `case when ${by(key)} ->> 'source' = 'manual' then '"hand"'::jsonb
     when ${isKnown} then to_jsonb(coalesce((${by(key)} ->> 'at')::bigint, l.created_at)) end`;
  return tx.rows(
    `select
       l.id as "leadId",
       jsonb_strip_nulls(jsonb_build_object(
         'profile', ${known('profile', `l.provenance ? 'profile'`)},
         'email', ${known('email', `l.email is not null and l.email_status <> 'invalid'`)},
         'email_verification', ${known('emailStatus', `l.email_status <> 'unknown'`)},
         'phone', ${known('phone', 'l.phone is not null')}
       )) as enriched
     from lead l
     where l.id = any ($1::uuid[])`,
    [leadIds],
  );
}
