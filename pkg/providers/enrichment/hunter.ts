import { z } from 'zod';
import type { OutsideContact } from '../../domain/outside-contact.ts';
import { normalMail } from '../../domain/person-identity.ts';
import { CallError, isForGood } from '../call-error.ts';
import { askEnrichment, type EnrichmentEndpoint, type EnrichmentQuestion } from './ask-enrichment.ts';
import type { Enrichment, EnrichmentProvider } from './enrichment-provider.ts';

/** The verifier answers 202 while it still asks the mail server, and 222 when that did not answer it; then it is asked again later. */
const PENDING: readonly number[] = [202, 222];
/** Its limit of requests, which is over in a moment. */
const TOO_MANY = 403;
/** The requests of its plan are used up, which may last until the next month: this question is not asked again. */
const USED_UP = 429;
/** Nobody known, or somebody who wishes to be left out (451). */
const NOBODY: readonly number[] = [404, 451];

const foundSchema = z.object({ data: z.object({ email: z.string().nullable() }) });
const verifiedSchema = z.object({ data: z.object({ status: z.string() }) });
const STATUS: Readonly<Record<string, Enrichment['emailStatus']>> = {
  valid: 'valid',
  invalid: 'invalid',
  accept_all: 'catch_all',
  webmail: 'valid',
  disposable: 'risky',
};

/** Mail addresses and their verification by Hunter (`/v2/email-finder`, `/v2/email-verifier`). */
export function hunter(endpoint: EnrichmentEndpoint): EnrichmentProvider {
  return {
    name: 'hunter',
    fields: ['email', 'email_verification'],
    async find(contact, fields, { signal, last }) {
      const found = fields.includes('email') ? await findAddress(endpoint, contact, signal) : null;
      const email = found ?? contact.email;
      const emailStatus =
        fields.includes('email_verification') && email
          ? await verify(endpoint, email, signal).catch((error: unknown) => {
              // Found is found, also when nobody will verify it.
              if (found && (last || isForGood(error))) return undefined;
              throw error;
            })
          : undefined;
      return { ...(found ? { email: found } : {}), ...(emailStatus ? { emailStatus } : {}) };
    },
  };
}

async function findAddress(
  endpoint: EnrichmentEndpoint,
  { firstName, lastName, company }: OutsideContact,
  signal: AbortSignal,
): Promise<string | null> {
  if (!company || !firstName || !lastName) return null;
  const query = { first_name: firstName, last_name: lastName, company };
  const answer = foundSchema.safeParse(await ask(endpoint, 'email-finder', query, signal));
  return normalMail(answer.data?.data.email ?? '');
}

async function verify(
  endpoint: EnrichmentEndpoint,
  email: string,
  signal: AbortSignal,
): Promise<Enrichment['emailStatus']> {
  const answer = verifiedSchema.safeParse(await ask(endpoint, 'email-verifier', { email }, signal));
  return STATUS[answer.data?.data.status ?? ''];
}

function ask(
  endpoint: EnrichmentEndpoint,
  what: string,
  query: Record<string, string>,
  signal: AbortSignal,
): Promise<unknown> {
  const question: EnrichmentQuestion = {
    path: `v2/${what}?${new URLSearchParams(query)}`,
    nobody: NOBODY,
    before: ({ status, retryAfterMs }) => {
      if (PENDING.includes(status)) throw new CallError('busy', `hunter still works on ${what}`);
      if (status === TOO_MANY) throw new CallError('busy', 'hunter is asked too often', retryAfterMs, true);
      if (status === USED_UP) throw new CallError('refused', "the requests of hunter's plan are used up");
    },
  };
  return askEnrichment(endpoint, question, signal);
}
