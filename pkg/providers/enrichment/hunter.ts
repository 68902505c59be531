import { z } from 'zod';
import { CallError } from '../call-error.ts';
import { exchange, jsonOf, type OutsideRequest, refusalOf } from '../outside-http.ts';
import type { Enrichment, EnrichmentProvider } from './enrichment-provider.ts';
import type { EnrichmentEndpoint } from './people-data-labs.ts';

const TIMEOUT_MS = 20_000;
/** The verifier answers 202 while it still asks the mail server; then the call is tried again later. */
const PENDING = 202;

const found = z.object({ data: z.object({ email: z.string().nullable() }) });
const verified = z.object({ data: z.object({ status: z.string() }) });
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
    async find(contact, fields, { signal }) {
      const enrichment: Enrichment = {};
      if (fields.includes('email') && contact.company && contact.firstName && contact.lastName) {
        const { firstName, lastName, company } = contact;
        const query = { first_name: firstName, last_name: lastName, company };
        const answer = found.safeParse(await ask(endpoint, 'email-finder', query, signal));
        if (answer.success && answer.data.data.email) enrichment.email = answer.data.data.email.toLowerCase();
      }
      const email = enrichment.email ?? contact.email;
      if (!fields.includes('email_verification') || !email) return enrichment;
      const answer = verified.safeParse(await ask(endpoint, 'email-verifier', { email }, signal));
      const status = answer.success ? STATUS[answer.data.data.status] : undefined;
      return status ? { ...enrichment, emailStatus: status } : enrichment;
    },
  };
}

async function ask(
  { url, apiKey }: EnrichmentEndpoint,
  what: string,
  query: Record<string, string>,
  signal: AbortSignal,
): Promise<unknown> {
  const call: OutsideRequest = {
    method: 'GET',
    url: `${url.replace(/\/+$/, '')}/v2/${what}?${new URLSearchParams(query)}`,
    headers: { 'x-api-key': apiKey, accept: 'application/json' },
    timeoutMs: TIMEOUT_MS,
    signal,
    harmless: true,
    reach: 'any',
  };
  const answer = await exchange(call);
  if (answer.status === PENDING) throw new CallError('busy', `hunter still works on ${what}`);
  if (answer.status === 404) return undefined;
  if (answer.status >= 300) throw refusalOf(call, answer);
  return jsonOf(answer, true);
}
