import type { Tx } from '../../postgres/database.ts';
import { type AuditLink, linkHash, reasonHash } from './audit.ts';

/** A record with its place in the log. */
export type AuditEventRow = Omit<AuditLink, 'chain' | 'position'> & {
  seq: number;
  /** Null: written before there were chains. */
  chain: string | null;
  position: number | null;
};

/** Which records; what is absent does not narrow. Times are epoch ms UTC, product time; `to` is exclusive. */
export interface AuditFilter {
  workspaceId: string | undefined;
  actorId: string | undefined;
  toolName: string | undefined;
  /** One of those that a call was about. */
  recordId: string | undefined;
  from: number | undefined;
  to: number | undefined;
  /** Where the page before ended. */
  before: number | undefined;
  limit: number;
}

/** The columns of a record as {@link AuditLink} names them. */
export const AUDIT_COLUMNS = `id,
  at,
  actor_kind as "actorKind",
  actor_id as "actorId",
  coalesce(key_prefix, '') as "keyPrefix",
  tool,
  workspace_id as "workspaceId",
  outcome,
  calls,
  duration_us as "durationUs",
  input_hash as "inputHash",
  record_ids as "recordIds",
  request_id as "requestId",
  change ->> 'reason' as reason,
  change ->> 'reasonHash' as "reasonHash",
  chain,
  position,
  previous_hash as "previousHash",
  hash`;

/**
 * Records of the log, the newest first. For a platform transaction.
 *
 * Every page has a plan of its own: one plan for all filters would have to serve those that narrow nothing, and walk
 * over the whole log, which is kept for good, for a filter that few records meet.
 */
export async function listAuditEvents(tx: Tx, filter: AuditFilter): Promise<AuditEventRow[]> {
  const { workspaceId, actorId, toolName, recordId, from, to, before, limit } = filter;
  const given = [workspaceId, actorId, toolName, from, to, before].map((value) => value ?? null);
  await tx.row(`select set_config('plan_cache_mode', 'force_custom_plan', true)`);
  if (recordId !== undefined) {
    return tx.rows<AuditEventRow>(
      `select seq, ${AUDIT_COLUMNS}
       from audit_event
       where seq = any (array(select app.events_of_record($8, $1, $2, $3, $4, $5, $6, $7)))
       order by seq desc`,
      [...given, limit, recordId],
    );
  }
  return tx.rows<AuditEventRow>(
    `select seq, ${AUDIT_COLUMNS}
     from audit_event
     where ($1::text is null or workspace_id = $1)
       and ($2::text is null or actor_id = $2)
       and ($3::text is null or tool = $3)
       and ($4::bigint is null or at >= $4)
       and ($5::bigint is null or at < $5)
       and ($6::bigint is null or seq < $6)
     order by seq desc limit $7`,
    [...given, limit],
  );
}

/** Whether a record has the hash of what it says. A reason that an erasure took is known by its own hash. */
export function saysWhatItSaid(link: AuditLink): boolean {
  const isReason = !link.reason || !link.reasonHash || reasonHash(link.reason) === link.reasonHash;
  return isReason && linkHash(link.previousHash, link.chain, link.position, link) === link.hash;
}

/**
 * Whether these records are as they were written: each has the hash of what it says, follows the record before it in its chain, and is
 * followed by the next one. `outrider audit verify` checks the whole log in the same way.
 */
export async function linksHold(tx: Tx, rows: readonly AuditEventRow[]): Promise<boolean> {
  const linked = rows.flatMap((row) =>
    row.chain === null || row.position === null ? [] : [{ ...row, chain: row.chain, position: row.position }],
  );
  if (linked.some((row) => !saysWhatItSaid(row))) return false;
  const loose = await tx.row(
    // Each neighbour is asked for by itself, which is by its index whatever the planner knows: a join of them reads the chain.
    `select 1
     from (
       select
         r.position,
         r.previous_hash,
         r.hash,
         (select b.hash from audit_event b where b.chain = r.chain and b.position = r.position - 1) as before,
         (select a.previous_hash from audit_event a where a.chain = r.chain and a.position = r.position + 1) as told
       from unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[]) r (chain, position, previous_hash, hash)
     ) link
     where case when position = 1 then previous_hash <> '' else before is distinct from previous_hash end
       or told <> hash
     limit 1`,
    [
      linked.map((row) => row.chain),
      linked.map((row) => row.position),
      linked.map((row) => row.previousHash),
      linked.map((row) => row.hash),
    ],
  );
  return loose === undefined;
}
