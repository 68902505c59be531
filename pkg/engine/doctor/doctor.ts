import { messageOf } from '../../base/errors.ts';
import type { Database } from '../../postgres/database.ts';
import { bloat, duePlan, eventMonths, invalidIndexes, oldTransactions } from './database-checks.ts';
import { type DoctorCheck, type Finding, problem } from './finding.ts';
import { ageingWakes, clocks, freezes, uncomparedAccounts, unreadAccounts } from './flow-checks.ts';
import { deadLetters, stuckClaims, unknownOutcomes } from './ledger-checks.ts';
import { migrations } from './migration-check.ts';

/** Asked in this order: what explains the most comes first. */
const CHECKS: readonly DoctorCheck[] = [
  migrations,
  freezes,
  uncomparedAccounts,
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
];

/** What a look at the whole installation found. */
export interface Diagnosis {
  findings: Finding[];
  /** What was asked and is in order. */
  sound: string[];
}

/**
 * Asks everything of an installation; reads only. A check that fails is a finding itself.
 * @param times product and real time, epoch ms
 */
export async function examine(db: Database, times: { product: number; real: number }): Promise<Diagnosis> {
  const findings: Finding[] = [];
  const sound: string[] = [];
  for (const check of CHECKS) {
    const found = await ask(db, check, times);
    findings.push(...found);
    if (found.length === 0) sound.push(check.name);
  }
  return { findings, sound };
}

async function ask(db: Database, check: DoctorCheck, times: { product: number; real: number }): Promise<Finding[]> {
  try {
    return await db.tx({ kind: 'platform' }, (tx) => check.run({ tx, ...times }));
  } catch (error) {
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
