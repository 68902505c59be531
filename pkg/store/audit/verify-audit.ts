import type { Database } from '../../postgres/database.ts';
import { type Anchor, type AuditLink, anchorHash } from './audit.ts';
import { AUDIT_COLUMNS, saysWhatItSaid } from './list-audit-events.ts';

/** What a check of the audit log found. */
export interface AuditFindings {
  records: number;
  chains: number;
  /** The first broken link in words; null: every link holds. */
  broken: string | null;
  /** Chains that were cut off, and gaps that a chain tells of itself: facts, not tampering. */
  gaps: string[];
}

const PAGE = 2_000;
/** Gaps that are told. */
const MAX_GAPS = 100;

/**
 * Checks every link of every chain, the common chain of their heads, and that every write has its event.
 * Reads the whole log in pages.
 */
export async function verifyAudit(db: Database): Promise<AuditFindings> {
  const findings: AuditFindings = { records: 0, chains: 0, broken: null, gaps: [] };
  /** Where each chain ends that nobody closed. */
  const open = new Map<string, number>();
  const writes = { lost: 0 };
  findings.broken =
    (await brokenLink(db, findings, open)) ?? (await brokenAnchor(db, open)) ?? (await writeWithoutEvent(db, writes));
  if (findings.broken === null) findings.gaps.push(...gapsOf(open, writes.lost));
  return findings;
}

type Row = Omit<AuditLink, 'recordIds'> & { recordIds: string[] };

async function brokenLink(db: Database, findings: AuditFindings, open: Map<string, number>): Promise<string | null> {
  let last = { chain: '00000000-0000-0000-0000-000000000000', position: 0, hash: '' };
  for (;;) {
    const page = await linksAfter(db, last);
    for (const link of page) {
      const first = link.chain !== last.chain;
      const before = first ? { position: 0, hash: '' } : last;
      if (first) findings.chains++;
      findings.records++;
      const problem = problemOf(link, before);
      if (problem) return `chain ${link.chain}, position ${link.position}: ${problem}`;
      if (link.outcome === 'gap' && findings.gaps.length < MAX_GAPS)
        findings.gaps.push(`chain ${link.chain}, position ${link.position}: ${link.recordIds[0]}`);
      open.set(link.chain, link.position);
      last = link;
    }
    if (page.length < PAGE) return null;
  }
}

function problemOf(link: Row, before: { position: number; hash: string }): string | null {
  if (link.position !== before.position + 1) return `positions ${before.position + 1} to ${link.position - 1} are gone`;
  if (link.previousHash !== before.hash) return 'does not follow the record before it';
  return saysWhatItSaid(link) ? null : 'was changed after it was written';
}

function linksAfter(db: Database, last: { chain: string; position: number }): Promise<Row[]> {
  return db.read({ kind: 'platform' }, (tx) =>
    tx.rows<Row>(
      `select ${AUDIT_COLUMNS}
       from audit_event
       where chain is not null and (chain, position) > ($1::uuid, $2::bigint)
       order by chain, position limit ${PAGE}`,
      [last.chain, last.position],
    ),
  );
}

/** The common chain holds, and each head that it names is still in its chain. */
async function brokenAnchor(db: Database, open: Map<string, number>): Promise<string | null> {
  let after = 0;
  let previous = '';
  for (;;) {
    const page = await db.read({ kind: 'platform' }, (tx) =>
      tx.rows<Anchor & { seq: number; previousHash: string; hash: string; found: string | null }>(
        `select a.seq, a.chain, a.position, a.head, a.closed, a.previous_hash as "previousHash", a.hash, e.hash as found
         from audit_anchor a left join audit_event e on e.chain = a.chain and e.position = a.position
         where a.seq > $1 order by a.seq limit ${PAGE}`,
        [after],
      ),
    );
    for (const anchor of page) {
      const about = `anchor ${anchor.seq} of chain ${anchor.chain}, position ${anchor.position}`;
      if (anchor.previousHash !== previous) return `${about}: does not follow the anchor before it`;
      if (anchorHash(previous, anchor) !== anchor.hash) return `${about}: was changed after it was written`;
      if (anchor.found === null) return `${about}: the end of the chain is gone`;
      if (anchor.found !== anchor.head) return `${about}: the chain was written anew`;
      if (anchor.closed) open.delete(anchor.chain);
      previous = anchor.hash;
      after = anchor.seq;
    }
    if (page.length < PAGE) return null;
  }
}

interface WriteRow {
  id: string;
  tool: string;
  /** No chain has it. */
  lost: boolean;
  odd: boolean;
}

/** A write is in the log twice: with itself and in a chain. Only the tail of a chain that was cut off lacks events. */
async function writeWithoutEvent(db: Database, writes: { lost: number }): Promise<string | null> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const page = await writesAfter(db, after);
    for (const { id, tool, lost, odd } of page) {
      if (odd) return `write ${id} of ${tool}: what was committed with it differs from its record in the chain`;
      if (lost) writes.lost++;
      after = id;
    }
    if (page.length < PAGE) return null;
  }
}

/** Each write looks for its event by index, whatever the planner thinks of a page beside the log. */
function writesAfter(db: Database, after: string): Promise<WriteRow[]> {
  return db.read({ kind: 'platform' }, (tx) =>
    tx.rows<WriteRow>(
      `select w.id, w.tool, e.odd is null as lost, coalesce(e.odd, false) as odd
       from (select * from audit_write where id > $1::uuid order by id limit ${PAGE}) w
         left join lateral (select (w.at, w.actor_kind, w.actor_id, w.tool, w.input_hash, w.request_id)
             is distinct from (e.at, e.actor_kind, e.actor_id, e.tool, e.input_hash, e.request_id) as odd
           from audit_event e where e.id = w.id order by 1 desc limit 1) e on true
       order by w.id`,
      [after],
    ),
  );
}

function gapsOf(open: ReadonlyMap<string, number>, lost: number): string[] {
  return [
    ...[...open]
      .slice(0, MAX_GAPS)
      .map(([chain, position]) => `chain ${chain} is open or was cut off after position ${position}`),
    ...(lost > 0 ? [`${lost} writes committed their record, which is in no chain (their process ended at once)`] : []),
  ];
}
