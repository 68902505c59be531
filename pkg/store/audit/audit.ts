import { hash } from 'node:crypto';
import type { Database, Tx } from '../../postgres/database.ts';

/** One call, as the log keeps it: who, what, how it ended; inputs by hash and record ids only. */
export interface AuditRecord {
  id: string;
  /** Epoch ms UTC, product time. */
  at: number;
  actorKind: string;
  actorId: string;
  keyPrefix: string;
  tool: string;
  workspaceId: string | null;
  /** `limited`: refused by a limit, before anything else of the call was looked at. */
  outcome: 'ok' | 'refused' | 'limited' | 'cancelled' | 'fault' | 'gap';
  /** How many calls the record stands for: one, and more only of limited ones. */
  calls: number;
  /** Of several calls: from the first to the last. */
  durationUs: number;
  inputHash: string;
  recordIds: readonly string[];
  requestId: string;
  /** Why, where the caller had to say so: of tools of platform admins. */
  reason?: string | null;
  /** SHA-256 of the reason, which stays when an erasure takes the reason; null: of a record of before 0.3.0. */
  reasonHash?: string | null;
}

/** The hash by which a reason is chained. */
export function reasonHash(reason: string): string {
  return hash('sha256', reason, 'hex');
}

/** A record in its place in a chain. */
export interface AuditLink extends AuditRecord {
  chain: string;
  /** From 1, without a gap. */
  position: number;
  previousHash: string;
  hash: string;
}

/** The hash that a record has after another one. */
export function linkHash(previousHash: string, chain: string, position: number, record: AuditRecord): string {
  const { id, at, actorKind, actorId, keyPrefix, tool, workspaceId, outcome, durationUs } = record;
  const body = [chain, position, id, at, actorKind, actorId, keyPrefix, tool, workspaceId, outcome, durationUs];
  const rest: unknown[] = [record.inputHash, record.recordIds, record.requestId];
  // Records of one call, and those without a reason, hash as they did before there were others.
  if (record.calls !== 1) rest.push(record.calls);
  const why = record.reasonHash ?? record.reason;
  if (why) rest.push(why);
  return hash('sha256', `${previousHash}\n${JSON.stringify([...body, ...rest])}`, 'hex');
}

/** The hash of an anchor after another one. */
export function anchorHash(previousHash: string, anchor: Anchor): string {
  const { chain, position, head, closed } = anchor;
  return hash('sha256', `${previousHash}\n${JSON.stringify([chain, position, head, closed])}`, 'hex');
}

/** The input of a call as the log knows it. */
export function inputHash(input: unknown): string {
  return hash('sha256', JSON.stringify(input) ?? '', 'hex');
}

/** Appends a batch; a batch that is sent again is stored once. */
export async function insertLinks(db: Database, links: readonly AuditLink[]): Promise<void> {
  await db.tx({ kind: 'platform' }, (tx) =>
    tx.named(
      'audit_links',
      `insert into audit_event (
         id, at, actor_kind, actor_id, key_prefix, tool, workspace_id, outcome, calls, duration_us, input_hash,
         record_ids, request_id, chain, position, previous_hash, hash, change
       )
       select
         id,
         at,
         "actorKind",
         "actorId",
         "keyPrefix",
         tool,
         "workspaceId",
         outcome,
         calls,
         "durationUs",
         "inputHash",
         "recordIds",
         "requestId",
         chain,
         position,
         "previousHash",
         hash,
         case
           when reason is null then '{}'
           else jsonb_build_object('reason', reason, 'reasonHash', "reasonHash")
         end
       from json_to_recordset($1::json) as r(
         id uuid, at bigint, "actorKind" text, "actorId" text, "keyPrefix" text, tool text, "workspaceId" text,
         outcome text, calls bigint, "durationUs" bigint, "inputHash" text, "recordIds" text[],
         "requestId" text, chain uuid, position bigint, "previousHash" text, hash text, reason text, "reasonHash" text
       )
       on conflict (chain, position) do nothing`,
      [JSON.stringify(links)],
    ),
  );
}

/** What a write leaves in its own transaction. */
export type AuditWrite = Pick<AuditRecord, 'id' | 'at' | 'actorKind' | 'actorId' | 'tool' | 'inputHash' | 'requestId'>;

/** Records a write with it, if the transaction wrote anything; several transactions of one call leave one row. */
export async function insertWrite(tx: Tx, write: AuditWrite): Promise<void> {
  await tx.named(
    'audit_write',
    `insert into audit_write (id, at, actor_kind, actor_id, tool, input_hash, request_id)
     select $1::uuid, $2::bigint, $3, $4, $5, $6, $7
     where pg_current_xact_id_if_assigned() is not null
     on conflict do nothing`,
    [write.id, write.at, write.actorKind, write.actorId, write.tool, write.inputHash, write.requestId],
  );
}

/** The head of a chain as it is anchored. */
export interface Anchor {
  chain: string;
  position: number;
  head: string;
  closed: boolean;
}

/** Lock of the common chain's end. */
const ANCHOR_LOCK = 0x0a0d17;

/** Appends a head to the common chain. */
export async function insertAnchor(db: Database, anchor: Anchor): Promise<void> {
  await db.tx({ kind: 'platform' }, async (tx) => {
    await tx.exec('select pg_advisory_xact_lock($1)', [ANCHOR_LOCK]);
    const last = await tx.row<{ hash: string }>('select hash from audit_anchor order by seq desc limit 1');
    const previous = last?.hash ?? '';
    await tx.exec(
      'insert into audit_anchor (chain, position, head, closed, previous_hash, hash) values ($1, $2, $3, $4, $5, $6)',
      [anchor.chain, anchor.position, anchor.head, anchor.closed, previous, anchorHash(previous, anchor)],
    );
  });
}
