import type { JsonObject } from '../../base/json.ts';
import type { EnrichField } from './enrich-fields.ts';

/** What providers are asked for: a field of a lead, or a company as a whole. */
export type AskedField = EnrichField | 'company';

/** What became of a question to one provider: `invalid`: found, but no mail arrives there; `mismatch`: it is about somebody else. */
export type AttemptOutcome = 'asked' | 'found' | 'not_found' | 'invalid' | 'mismatch' | 'failed';

/** A question to one provider for one field, as the ledger keeps it. */
export interface Attempt {
  provider: string;
  outcome: AttemptOutcome;
  /** Columns of the lead or the company. */
  answer: JsonObject;
  /** 0 to 1; null: the provider did not tell. */
  confidence: number | null;
  /** Under which a provider that takes its time has the question. */
  ref: string | null;
  /** What failed tries count together (FAILED_TRY of next-ask.ts), and those that their process did not survive. */
  tries: number;
  /** When it was asked first in this round, epoch ms, product time. */
  askedAt?: number;
}

/** A field as the ledger opens it. */
export interface OpenedField {
  field: AskedField;
  /**
   * mine: ask for it. busy: another asks. barred: nobody may be told of this person. found, not_found: answered today, which costs
   * nothing more.
   */
  standing: 'mine' | 'busy' | 'barred' | 'found' | 'not_found';
  /** Of this round. */
  attempts: Attempt[];
}

/** What is kept of an attempt. */
export interface KeptAttempt {
  field: AskedField;
  provider: string;
  outcome: AttemptOutcome;
  answer?: JsonObject;
  confidence?: number | null;
  ref?: string;
  error?: string;
  /** Failed tries that it counts for. */
  tries?: number;
}

/** Where attempts are kept, for one subject and one piece of work; each call is a transaction of its own. */
export interface AttemptLedger {
  open(asks: readonly { field: AskedField; about: string }[]): Promise<OpenedField[]>;
  /** @returns how many were kept; fewer than given where another took the question over */
  keep(attempts: readonly KeptAttempt[]): Promise<number>;
  /** Epoch ms, product time. */
  now(): number;
}

/** How a field ended. */
export type Verdict =
  | { kind: 'found'; provider: string; answer: JsonObject; confidence: number | null }
  /** `known`: this was answered today, and whether something was found. */
  | { kind: 'known'; found: boolean }
  | { kind: 'not_found' }
  | { kind: 'barred' }
  /** No provider answered. */
  | { kind: 'failed'; error: unknown }
  /** Asked again later: a provider failed or takes its time, or another asks; ms, real or product. */
  | { kind: 'again'; afterMs: number; error: unknown };
export type Verdicts = ReadonlyMap<AskedField, Verdict>;

/** How a field is to end. */
export interface FieldResult {
  field: AskedField;
  /** open: another try follows. */
  state: 'found' | 'not_found' | 'failed' | 'open';
  provider?: string;
  answer?: JsonObject;
  confidence?: number | null;
  /** What the workspace pays when it is found and may be written. */
  credits?: number;
  /** Hash of what the question names after it was answered. */
  about?: string;
}

/** How it ended. */
export interface SettledField {
  field: AskedField;
  state: FieldResult['state'];
  credits: number;
}
