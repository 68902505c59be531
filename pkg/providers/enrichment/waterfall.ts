import { messageOf } from '../../base/errors.ts';
import type {
  AskedField,
  Attempt,
  AttemptLedger,
  KeptAttempt,
  OpenedField,
  Verdict,
  Verdicts,
} from '../../domain/enrichment/attempt.ts';
import {
  type AskingField,
  FAILED_TRY,
  MAX_TRIES,
  nextAsk,
  passedKey,
  takenAnswer,
  waitedEnough,
  worksOn,
} from '../../domain/enrichment/next-ask.ts';
import { CallError, isForGood } from '../call-error.ts';
import type { EnrichmentOptions } from './enrichment-provider.ts';
import type { Seat, SubjectAnswer } from './seats.ts';

/** Ms until another's work, or a provider that takes its time, is looked at again. */
const LOOK_AGAIN_MS = 30_000;

/** What a waterfall is made of. */
export interface Waterfall {
  /** In the order in which they are asked. */
  seats: readonly Seat[];
  ledger: AttemptLedger;
  /** Told of each answer. */
  told?(provider: string, field: AskedField, outcome: Attempt['outcome']): void;
}

export interface WaterfallQuestion {
  asks: readonly { field: AskedField; about: string }[];
  signal: AbortSignal;
  /** Nobody asks again for what does not answer now. */
  last: boolean;
}

/**
 * Asks provider after provider until each field has its first valid answer. That one is asked is kept before, and what it answered
 * before anything is paid: a process that ends in between asks the same one again, and never for an answer that is kept. One that
 * fails is passed over and asked again by the next try.
 */
export async function runWaterfall(fall: Waterfall, question: WaterfallQuestion): Promise<Verdicts> {
  const opened = await fall.ledger.open(question.asks);
  const open = opened.filter((one) => one.standing === 'mine');
  const passed = new Set<string>();
  const errors = new Map<AskedField, unknown>();
  let waitMs = LOOK_AGAIN_MS;
  for (;;) {
    const next = nextAsk(open, fall.seats, passed);
    if (!next) break;
    question.signal.throwIfAborted();
    for (const field of next.fields) passed.add(passedKey(next.provider, field));
    const { provider: seat, fields, ref } = next;
    await keep(fall, open, asked(seat, fields));
    const answer = await ask(seat, fields, { ...question, ref }, { open, now: fall.ledger.now() });
    if (answer.error !== undefined) for (const field of fields) errors.set(field, answer.error);
    if (answer.askAfterMs !== undefined) waitMs = answer.askAfterMs;
    await keep(fall, open, answer.attempts);
    await dropRefused(fall, open, passed);
  }
  return verdictsOf(fall, { opened, errors, waitMs, last: question.last });
}

const asked = (seat: Seat, fields: readonly AskedField[]): KeptAttempt[] =>
  fields.map((field) => ({ field, provider: seat.name, outcome: 'asked' }));

/** An address that was found in this round and that its verification refused is not found: the next provider is asked for one. */
async function dropRefused(fall: Waterfall, open: OpenedField[], passed: Set<string>): Promise<void> {
  const mail = open.find((one) => one.field === 'email')?.attempts.find((attempt) => attempt.outcome === 'found');
  const verified = open
    .find((one) => one.field === 'email_verification')
    ?.attempts.find((attempt) => attempt.outcome === 'found' && attempt.answer['emailStatus'] === 'invalid');
  if (!mail || !verified) return;
  const verifiers = open.find((one) => one.field === 'email_verification')?.attempts ?? [];
  await keep(fall, open, [
    { field: 'email', provider: mail.provider, outcome: 'invalid', error: `refused by ${verified.provider}` },
    ...verifiers.map(({ provider }): KeptAttempt => ({ field: 'email_verification', provider, outcome: 'asked' })),
  ]);
  for (const seat of fall.seats) passed.delete(passedKey(seat, 'email_verification'));
}

/** What is known of the open fields; now: epoch ms, product time. */
interface Round {
  open: readonly AskingField[];
  now: number;
}

interface Answered {
  attempts: KeptAttempt[];
  error?: unknown;
  askAfterMs?: number;
}

async function ask(
  seat: Seat,
  fields: readonly AskedField[],
  options: EnrichmentOptions,
  round: Round,
): Promise<Answered> {
  try {
    return attemptsOf(seat, fields, await seat.ask(fields, mailOf(round.open), options), round);
  } catch (error) {
    options.signal.throwIfAborted();
    if (!(error instanceof CallError)) throw error;
    const one = { provider: seat.name, outcome: 'failed', error: messageOf(error) } as const;
    return { attempts: fields.map((field) => ({ ...one, field, tries: triesOf(error, seat, field, round) })), error };
  }
}

/** Who is only asked too often has said nothing of this question, and is waited for, but not for ever. */
function triesOf(error: CallError, seat: Seat, field: AskedField, { open, now }: Round): number {
  if (isForGood(error)) return MAX_TRIES;
  if (!error.tooMany) return FAILED_TRY;
  return waitedEnough(attemptAt(open, seat, field), 'crowded', now, error.retryAfterMs) ? MAX_TRIES : 0;
}

function attemptAt(open: readonly AskingField[], seat: Seat, field: AskedField): Attempt | undefined {
  return open.find((one) => one.field === field)?.attempts.find(({ provider }) => provider === seat.name);
}

function attemptsOf(seat: Seat, fields: readonly AskedField[], answer: SubjectAnswer, { open, now }: Round): Answered {
  if ('pending' in answer) {
    const { ref, askAfterMs } = answer.pending;
    const late = { outcome: 'failed', error: 'it did not answer in time', tries: MAX_TRIES } as const;
    const attempts = fields.map((field): KeptAttempt => {
      const isLate = waitedEnough(attemptAt(open, seat, field), 'works', now);
      return { field, provider: seat.name, ...(isLate ? late : { outcome: 'asked' as const, ref }) };
    });
    return { attempts, askAfterMs };
  }
  // Who finds an address may tell at once whether it was verified.
  const more = [...answer.fields.keys()].filter((field) => !fields.includes(field) && isLacking(open, field));
  return {
    attempts: [...fields, ...more].map((field) => ({
      field,
      provider: seat.name,
      ...(answer.fields.get(field) ?? { outcome: 'not_found' }),
    })),
  };
}

function isLacking(open: readonly AskingField[], field: AskedField): boolean {
  return open.some((one) => one.field === field && one.attempts.every((attempt) => attempt.outcome !== 'found'));
}

/** The address that was found in this round, which is verified before it is written. */
function mailOf(open: readonly AskingField[]): string | null {
  const found = open.find((one) => one.field === 'email')?.attempts.find((attempt) => attempt.outcome === 'found')
    ?.answer['email'];
  return typeof found === 'string' ? found : null;
}

/** Keeps attempts in the ledger, and in what is known here. @throws CallError when another took the question over */
async function keep(fall: Waterfall, open: OpenedField[], attempts: readonly KeptAttempt[]): Promise<void> {
  if ((await fall.ledger.keep(attempts)) < attempts.length) {
    throw new CallError('busy', 'another asks for it meanwhile', LOOK_AGAIN_MS, true);
  }
  for (const kept of attempts) {
    const of = open.find((one) => one.field === kept.field);
    if (!of) continue;
    const before = of.attempts.find((one) => one.provider === kept.provider);
    const { provider, outcome, answer = {}, confidence = null, ref = before?.ref ?? null } = kept;
    const unheard = before?.outcome === 'asked' && outcome === 'asked' && before.ref === null;
    const tries = (before?.tries ?? 0) + (kept.tries ?? 0) + Number(unheard);
    const askedAt = before?.askedAt ?? fall.ledger.now();
    of.attempts = [
      ...of.attempts.filter((one) => one !== before),
      { provider, outcome, answer, confidence, ref, tries, askedAt },
    ];
    if (outcome !== 'asked') fall.told?.(provider, kept.field, outcome);
  }
}

function verdictsOf(
  { seats }: Waterfall,
  of: { opened: readonly OpenedField[]; errors: ReadonlyMap<AskedField, unknown>; waitMs: number; last: boolean },
): Verdicts {
  return new Map(of.opened.map((one) => [one.field, verdictOf(one)]));

  function verdictOf(one: OpenedField): Verdict {
    if (one.standing === 'barred') return { kind: 'barred' };
    if (one.standing === 'busy') return again(LOOK_AGAIN_MS, 'another asks for it at this moment');
    if (one.standing !== 'mine') return { kind: 'known', found: one.standing === 'found' };
    const taken = takenAnswer(one, seats);
    if (taken) {
      return { kind: 'found', provider: taken.provider, answer: taken.answer, confidence: taken.confidence };
    }
    if (one.attempts.some(worksOn)) {
      return again(of.waitMs, `${one.attempts.find(worksOn)?.provider ?? ''} still works on it`);
    }
    const failed = one.attempts.filter(({ outcome }) => outcome === 'failed' || outcome === 'asked');
    if (failed.length === 0) return { kind: 'not_found' };
    const error = of.errors.get(one.field) ?? new CallError('busy', `${failed[0]?.provider} does not answer`);
    // Who is only asked too often is waited for, however often, until the question has waited long enough.
    const tooMany = error instanceof CallError && error.tooMany;
    if ((of.last && !tooMany) || failed.every((attempt) => attempt.tries >= MAX_TRIES))
      return { kind: 'failed', error };
    return { kind: 'again', afterMs: retryMs(error), error };
  }
}

function again(afterMs: number, why: string): Verdict {
  return { kind: 'again', afterMs, error: new CallError('busy', why, afterMs, true) };
}

function retryMs(error: unknown): number {
  return Math.max(LOOK_AGAIN_MS, (error instanceof CallError ? error.retryAfterMs : undefined) ?? 0);
}
