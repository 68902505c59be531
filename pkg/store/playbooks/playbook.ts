import type { Tx } from '../../postgres/database.ts';
import { tryLock } from '../../postgres/taken-lock.ts';

/** A version of a workspace's playbook. */
export interface PlaybookVersion {
  version: number;
  /** Empty: none. */
  text: string;
  source: 'manual' | 'generated';
  /** Which writer, for a generated text. */
  writer: string;
  /** Epoch ms UTC, product time. */
  createdAt: number;
}

/** The version in force, or undefined when none was ever written. */
export function readPlaybook(tx: Tx, workspaceId: string): Promise<PlaybookVersion | undefined> {
  return tx.row<PlaybookVersion>(
    `select version, text, source, writer, created_at as "createdAt" from playbook
     where workspace_id = $1 order by version desc limit 1`,
    [workspaceId],
  );
}

/** A version of the history without its text. */
export interface PlaybookEntry extends Omit<PlaybookVersion, 'text'> {
  createdBy: string;
  /** Characters; 0: the playbook was emptied. */
  length: number;
}

/** Versions that a history shows at most; older ones are read by their number. */
const SHOWN_VERSIONS = 50;

/** The newest versions, the newest first. */
export function readPlaybookHistory(tx: Tx, workspaceId: string): Promise<PlaybookEntry[]> {
  return tx.rows<PlaybookEntry>(
    `select version, source, writer, created_by as "createdBy", created_at as "createdAt", length(text) as length
     from playbook
     where workspace_id = $1
     order by version desc limit ${SHOWN_VERSIONS}`,
    [workspaceId],
  );
}

/** A version by its number, or undefined when there is none. */
export function readPlaybookVersion(
  tx: Tx,
  workspaceId: string,
  version: number,
): Promise<PlaybookVersion | undefined> {
  return tx.row<PlaybookVersion>(
    `select version, text, source, writer, created_at as "createdAt"
     from playbook
     where workspace_id = $1 and version = $2::bigint`,
    [workspaceId, version],
  );
}

/** What the caller is told while another one writes it all the time. */
const WRITTEN_BY_ANOTHER =
  'Another call writes the playbook at this moment; nothing was done. Read it again, and repeat this call in a few seconds.';

/**
 * Writes the next version; what was in force stays in the history.
 * @param expected the version that the caller read (0: none yet); undefined: whatever is in force
 * @returns the new version, or the one in force when it is not the expected one (nothing is written then)
 */
export async function writePlaybook(
  tx: Tx,
  written: Omit<PlaybookVersion, 'version'> & { workspaceId: string; createdBy: string },
  expected?: number,
): Promise<{ kind: 'written' | 'changed'; version: number; previous: number | null }> {
  await tryLock(tx, `playbook:${written.workspaceId}`, 0, WRITTEN_BY_ANOTHER);
  const before = await readPlaybook(tx, written.workspaceId);
  const current = before?.version ?? 0;
  const previous = before?.version ?? null;
  if (expected !== undefined && expected !== current) return { kind: 'changed', version: current, previous };
  await tx.exec(
    `insert into playbook (workspace_id, version, text, source, writer, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      written.workspaceId,
      current + 1,
      written.text,
      written.source,
      written.writer,
      written.createdBy,
      written.createdAt,
    ],
  );
  return { kind: 'written', version: current + 1, previous };
}
