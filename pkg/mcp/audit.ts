import { createHash } from 'node:crypto';
import { canonicalJson } from '../base/json.ts';
import type { Database } from '../postgres/database.ts';
import type { Caller } from '../tools/tool-context.ts';

export interface AuditEntry {
  id: string;
  /** Epoch ms UTC, product time. */
  at: number;
  caller: Caller;
  tool: string;
  workspaceId: string | null;
  requestId: string;
  /** Names of the fields that were given; values may be personal data and are not kept. */
  fields: readonly string[];
}

/** Lock of the chain's end. */
const CHAIN_LOCK = 0x0a0d17;

/** Appends to the audit log; each entry carries the hash of the one before, so that a gap or a change shows. */
export async function appendAudit(db: Database, entry: AuditEntry): Promise<void> {
  await db.tx({ kind: 'platform' }, async (tx) => {
    await tx.exec('select pg_advisory_xact_lock($1)', [CHAIN_LOCK]);
    const last = await tx.row<{ hash: string }>('select hash from audit_event order by seq desc limit 1');
    const previous = last?.hash ?? '';
    const actor = entry.caller.user?.id ?? entry.caller.keyId;
    const body = {
      id: entry.id,
      at: entry.at,
      actor,
      tool: entry.tool,
      workspaceId: entry.workspaceId,
      fields: entry.fields,
    };
    const hash = createHash('sha256').update(previous).update(canonicalJson(body)).digest('hex');
    await tx.exec(
      `insert into audit_event (id, at, actor_kind, actor_id, key_prefix, tool, workspace_id, change, request_id, hash, previous_hash)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [
        entry.id,
        entry.at,
        entry.caller.keyType,
        actor,
        entry.caller.keyPrefix,
        entry.tool,
        entry.workspaceId,
        JSON.stringify({ fields: entry.fields }),
        entry.requestId,
        hash,
        previous,
      ],
    );
  });
}
