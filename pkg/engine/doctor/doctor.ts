import { messageOf } from '../../base/errors.ts';
import type { Database } from '../../postgres/database.ts';
import { executorReach, executorRole, openDatabases } from './access-checks.ts';
import { bloat, duePlan, eventMonths, invalidIndexes, oldTransactions } from './database-checks.ts';
import { type DoctorCheck, type DoctorContext, type Finding, problem } from './finding.ts';
import { ageingWakes, clocks, freezes, uncomparedAccounts, unreadAccounts } from './flow-checks.ts';
import { deadLetters, stuckClaims, unknownOutcomes } from './ledger-checks.ts';
import { migrations } from './migration-check.ts';
import { refusedObjects, restingRows } from './object-checks.ts';
import { sealedSecrets } from './secret-checks.ts';
import { harmfulSettings } from './settings-check.ts';

/** Asked in this order: what explains the most comes first. */
const CHECKS: readonly DoctorCheck[] = [
  migrations,
  freezes,
  uncomparedAccounts,
  restingRows,
  refusedObjects,
  clocks,
  stuckClaims,
  unknownOutcomes,
  deadLetters,
  ageingWakes,
  unreadAccounts,
  duePlan,
  invalidIndexes,
  eventMonths,
  oldTransactions,
  bloat,
  openDatabases,
  executorReach,
  executorRole,
  harmfulSettings,
  sealedSecrets,
];

type Given = Omit<DoctorContext, 'tx'>;

/** What a look at the whole installation found. */
export interface Diagnosis {
  findings: Finding[];
  /** What was asked and is in order. */
  sound: string[];
}

/**
 * Asks everything of an installation; reads only. A check that fails is a finding itself; without a database there is one alone.
 * @param given product and real time, epoch ms; the keys of stored secrets, where they are known
 */
export async function examine(db: Database, given: Given): Promise<Diagnosis> {
  const findings: Finding[] = [];
  const sound: string[] = [];
  for (const check of CHECKS) {
    const found = await ask(db, check, given);
    if (!Array.isArray(found)) return { findings: [...findings, unreachable(found.unreachable)], sound };
    findings.push(...found);
    if (found.length === 0) sound.push(check.name);
  }
  return { findings, sound };
}

/** Every further question would wait for the same, and say the same. */
function unreachable(words: string): Finding {
  return problem(
    'database_away',
    `The database can not be asked: ${words}.`,
    'Bring it back, or mend its address or password (docs/runbooks/PostgresUnreachable.md). Everything else goes on by itself then.',
  );
}

async function ask(db: Database, check: DoctorCheck, given: Given): Promise<Finding[] | { unreachable: string }> {
  try {
    return await db.tx({ kind: 'platform' }, (tx) => check.run({ tx, ...given }));
  } catch (error) {
    const words = await db.ping().then(() => undefined, messageOf);
    if (words !== undefined) return { unreachable: words };
    const text = `Could not find out whether ${check.name}: ${messageOf(error)}.`;
    return [
      problem(
        'check_failed',
        text,
        'See that the connection is that of the schema owner and that the schema is up to date.',
      ),
    ];
  }
}
