import type { AskedField, Attempt } from './attempt.ts';

/** Tries after which a provider is not asked again for one question; one that its process did not survive counts 1. */
export const MAX_TRIES = 12;
/** What a try counts that the provider failed: it says more than a process that ended meanwhile. */
export const FAILED_TRY = 3;

/** Product ms that one question waits for a provider that has taken it. */
const WORKS_MS = 3_600_000;
/** Product ms that one question waits for a provider that is asked too often: its limits by the day are over then. */
const CROWDED_MS = 86_400_000;

/**
 * Whether a question has waited long enough for a provider: the next one is asked then, and credits stay held no longer.
 * @param waiting works: it has taken the question; crowded: it is asked too often. @param now epoch ms, product time
 * @param moreMs until it may be asked again
 */
export function waitedEnough(
  attempt: Attempt | undefined,
  waiting: 'works' | 'crowded',
  now: number,
  moreMs = 0,
): boolean {
  const waited = now - (attempt?.askedAt ?? now) + moreMs;
  return waited > (waiting === 'works' ? WORKS_MS : CROWDED_MS);
}

/** A field that is asked for, and what was said so far. */
export interface AskingField {
  field: AskedField;
  attempts: readonly Attempt[];
}

/** What a provider may be asked for. */
export interface AskableProvider {
  name: string;
  fields: readonly AskedField[];
}

/** Whose answer is taken: that of the first provider, in their order, that found something valid. */
export function takenAnswer(asking: AskingField, providers: readonly AskableProvider[]): Attempt | undefined {
  const found = asking.attempts.filter((attempt) => attempt.outcome === 'found');
  const place = ({ provider }: Attempt): number => providers.findIndex((one) => one.name === provider);
  return found.sort((a, b) => place(a) - place(b))[0];
}

/** What is asked next. */
export interface NextAsk<P extends AskableProvider> {
  provider: P;
  fields: AskedField[];
  /** Under what it has the question already. */
  ref: string | undefined;
}

/**
 * The next question of the waterfall: the first provider that offers an open field and was not asked for it in this pass. A field ends
 * with its first valid answer; what a provider works on waits for it. An address is verified once it is known whether there is one.
 * @param passed `provider field` of what this pass asked already
 */
export function nextAsk<P extends AskableProvider>(
  open: readonly AskingField[],
  providers: readonly P[],
  passed: ReadonlySet<string>,
): NextAsk<P> | undefined {
  const lacking = open.filter((one) => !takenAnswer(one, providers));
  const mailFirst = lacking.some((one) => one.field === 'email' && hasNext(one, providers, passed));
  const askable = lacking.filter((one) => !(mailFirst && one.field === 'email_verification'));
  for (const provider of providers) {
    const wanted = askable.filter((one) => isNext(one, provider, providers, passed));
    if (wanted.length === 0) continue;
    const ref = wanted.map((one) => attemptOf(one, provider)?.ref).find((known) => known);
    return { provider, fields: wanted.map((one) => one.field), ref: ref ?? undefined };
  }
  return undefined;
}

function hasNext(asking: AskingField, providers: readonly AskableProvider[], passed: ReadonlySet<string>): boolean {
  return providers.some((provider) => isNext(asking, provider, providers, passed));
}

/** Whether the provider is asked for the field now; one before it that still works on it is waited for. */
function isNext(
  asking: AskingField,
  provider: AskableProvider,
  providers: readonly AskableProvider[],
  passed: ReadonlySet<string>,
): boolean {
  if (!provider.fields.includes(asking.field) || passed.has(passedKey(provider, asking.field))) return false;
  const before = providers.slice(0, providers.indexOf(provider));
  if (before.some((one) => passed.has(passedKey(one, asking.field)) && worksOn(attemptOf(asking, one)))) return false;
  const attempt = attemptOf(asking, provider);
  if (!attempt || worksOn(attempt)) return true;
  return (attempt.outcome === 'failed' || attempt.outcome === 'asked') && attempt.tries < MAX_TRIES;
}

/** Whether a provider has taken the question and not answered yet. */
export function worksOn(attempt: Attempt | undefined): boolean {
  return attempt?.outcome === 'asked' && attempt.ref !== null;
}

function attemptOf({ attempts }: AskingField, provider: AskableProvider): Attempt | undefined {
  return attempts.find((attempt) => attempt.provider === provider.name);
}

export function passedKey(provider: AskableProvider, field: AskedField): string {
  return `${provider.name} ${field}`;
}
