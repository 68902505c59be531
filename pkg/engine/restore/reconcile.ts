import { monotonicMs, sleepReal } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Database, Tx } from '../../postgres/database.ts';
import type { SentMail } from '../../providers/mail/mail-provider.ts';
import type { NetworkProviders } from '../../providers/network/network-providers.ts';
import { lackingMails } from '../../store/mail/mail-sync.ts';
import { adoptTrace } from '../../store/restore/restore-adopt.ts';
import { adoptMail } from '../../store/restore/restore-adopt-mail.ts';
import { lackingTraces, lookIsDone, type Trace, wantLook } from '../../store/restore/restore-guard.ts';
import {
  type BehindOutcome,
  confirmedSince,
  type GuardedAccount,
  guardedAccounts,
  lift,
  type Missing,
  markCompared,
  settleBehind,
} from '../../store/restore/restore-lift.ts';
import { type MailDesk, openMailbox } from '../mail/mail-desk.ts';
import { readLackingSends } from './lacking-sends.ts';
import { readOwnMails } from './own-mails.ts';
import { TracesRead } from './provider-traces.ts';

const DAY_MS = 86_400_000;
/** Real ms between questions whether the operator has looked. */
const LOOK_PAUSE_MS = 500;
/** Longest reading of one account, real ms: thousands of conversations. A provider that hangs is given up much sooner. */
const ACCOUNT_TIMEOUT_MS = 1_800_000;

/** A send that the provider shows and the ledger lacked, and what was done about it. */
export interface Found {
  kind: Trace['kind'] | 'mail';
  /** Public id or address. */
  who: string;
  /** Of a mail: its subject. */
  text: string | null;
  /** Epoch ms; null when the provider does not say. */
  at: number | null;
  /** `workflow/node` that will not be sent again; empty for requests outside of workflows. */
  nodes: string[];
  /** Why it was left alone; null: it was adopted. */
  leftAlone: string | null;
}

/** One account in the table of differences. */
export interface AccountDifferences {
  accountId: string;
  name: string;
  /** From when the account was compared (epoch ms, product time). */
  since: number;
  found: Found[];
  /** Confirmed sends of the ledger that the provider does not show. */
  missing: Missing[];
  /** Why the account could not be compared; it stays stopped until it was. */
  failed: string | null;
}

export interface ReconcileReport {
  /** Why sends were frozen; empty when they were not. */
  reasons: string[];
  accounts: AccountDifferences[];
  resources: BehindOutcome[];
  /** False: no operator looked at the resources, so that some of them may freeze sends again. */
  resourcesCompared: boolean;
  /** False for a dry run: nothing was changed. */
  applied: boolean;
}

export interface ReconcileOptions {
  /** A connection of the schema's owner or of the platform. */
  db: Database;
  providers: NetworkProviders;
  /** What opens mailboxes; without it none is compared. */
  mail?: MailDesk | undefined;
  /** Product time, epoch ms. */
  now: () => number;
  newId: () => string;
  /** How long an operator has to look at all resources (real ms); 0: it is not asked. */
  lookWithinMs: number;
  /** Shows the differences and changes nothing. */
  dryRun: boolean;
}

/**
 * Compares what each account did with what its provider shows, adopts what the ledger lacks, so that nobody is written to
 * again, and lifts the freeze. What could not be compared stays stopped: its account acts only after a comparison.
 */
export async function reconcile(options: ReconcileOptions): Promise<ReconcileReport> {
  const { db, dryRun, lookWithinMs } = options;
  const look = lookWithinMs > 0 ? await db.tx({ kind: 'platform' }, wantLook) : undefined;
  const before = await db.tx({ kind: 'platform' }, guardedAccounts);
  const accounts: AccountDifferences[] = [];
  for (const account of before.accounts) accounts.push(await compare(options, account));
  const resourcesCompared = look === undefined || (await isTaken(db, look, lookWithinMs));
  return db.tx({ kind: 'platform' }, async (tx) => {
    const resources = await settleBehind(tx, { dryRun, now: options.now() });
    if (!dryRun) await lift(tx, options.now());
    return { reasons: before.reasons, accounts, resources, resourcesCompared, applied: !dryRun };
  });
}

/** Waits for the operator's look at the resources. @returns false when none came in time */
async function isTaken(db: Database, look: number, withinMs: number): Promise<boolean> {
  const end = monotonicMs() + withinMs;
  for (;;) {
    if (await db.tx({ kind: 'platform' }, (tx) => lookIsDone(tx, look))) return true;
    if (monotonicMs() >= end) return false;
    await sleepReal(LOOK_PAUSE_MS);
  }
}

async function compare(options: ReconcileOptions, account: GuardedAccount): Promise<AccountDifferences> {
  const { id: accountId, name, since } = account;
  const differences: AccountDifferences = { accountId, name, since, found: [], missing: [], failed: null };
  try {
    const shown = await readShown(options, account);
    return await options.db.tx({ kind: 'platform' }, async (tx) => {
      const found = await shown.adopt(tx);
      const missing = await missingAt(tx, accountId, since - DAY_MS, shown.refs);
      if (!options.dryRun) await markCompared(tx, accountId);
      return { ...differences, found, missing };
    });
  } catch (error) {
    return { ...differences, failed: messageOf(error) };
  }
}

/** What a provider shows of an account: the references of all, and how to take over what the ledger lacks. */
interface Shown {
  refs: ReadonlySet<string>;
  adopt(tx: Tx): Promise<Found[]>;
}

/** @throws ProviderError, or an Error that names what is not configured here */
async function readShown(options: ReconcileOptions, account: GuardedAccount): Promise<Shown> {
  const signal = AbortSignal.timeout(ACCOUNT_TIMEOUT_MS);
  const scoped = { tx: <T>(work: (tx: Tx) => Promise<T>) => options.db.tx({ kind: 'platform' }, work) };
  const from = account.since - DAY_MS;
  if (account.kind === 'mail') {
    const { provider, mailbox } = await openMailbox(options.mail, scoped, account.id);
    const mails = await readOwnMails(provider, mailbox, from, signal);
    const refs = new Set([...mails.values()].map((mail) => mail.messageId));
    return { refs, adopt: (tx) => adoptMails(tx, options, account.id, mails) };
  }
  const provider = options.providers(account.provider);
  if (!provider) throw new Error(`no adapter for provider ${account.provider} is configured here`);
  const compared = { ...account, since: from };
  const { refs, lacking } = await readLackingSends(scoped.tx, provider, compared, { read: new TracesRead(), signal });
  return { refs, adopt: (tx) => adoptAll(tx, options, account.id, lacking) };
}

/** Oldest first, so that messages of one person meet the nodes of a graph in their order. */
async function adoptAll(tx: Tx, options: ReconcileOptions, accountId: string, traces: Trace[]): Promise<Found[]> {
  const lacking = await lackingTraces(tx, accountId, traces);
  const found: Found[] = [];
  for (const one of lacking.toSorted((a, b) => (a.trace.at ?? 0) - (b.trace.at ?? 0))) {
    const { kind, publicId, providerId, text, at } = one.trace;
    const shown = { kind, who: publicId ?? providerId, text, at };
    if (options.dryRun) {
      found.push({ ...shown, nodes: [], leftAlone: null });
      continue;
    }
    const result = await adoptTrace(tx, one, { accountId, now: options.now(), newId: options.newId });
    found.push({
      ...shown,
      nodes: result.adopted ? result.nodes : [],
      leftAlone: result.adopted ? null : result.why,
    });
  }
  return found;
}

async function adoptMails(
  tx: Tx,
  { dryRun, now, newId }: ReconcileOptions,
  accountId: string,
  mails: ReadonlyMap<string, SentMail>,
): Promise<Found[]> {
  const lacking = await lackingMails(tx, accountId, [...mails.keys()]);
  const found: Found[] = [];
  for (const [sendId, mail] of [...mails].toSorted(([, a], [, b]) => (a.at ?? 0) - (b.at ?? 0))) {
    if (!lacking.has(sendId)) continue;
    const nodes = dryRun ? [] : await adoptMail(tx, { sendId, ...mail }, { accountId, now: now(), newId });
    found.push({ kind: 'mail', who: mail.to, text: mail.subject, at: mail.at, nodes, leftAlone: null });
  }
  return found;
}

async function missingAt(tx: Tx, accountId: string, since: number, shown: ReadonlySet<string>): Promise<Missing[]> {
  const sends = await confirmedSince(tx, accountId, since);
  return sends.filter((send) => send.ref === null || !shown.has(send.ref));
}
