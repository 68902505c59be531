import { z } from 'zod';
import type { OutsideContact } from '../../domain/outside-contact.ts';
import { normalMail } from '../../domain/person-identity.ts';
import { CallError } from '../call-error.ts';
import { askEnrichment, type EnrichmentEndpoint } from './ask-enrichment.ts';
import type { Enrichment, EnrichmentProvider, MailStatus } from './enrichment-provider.ts';

/** It asks to be asked again after this time. */
const ASK_AFTER_MS = 30_000;
const text = z.string().min(1).max(500).nullish().catch(null);
const takenSchema = z.object({ request_id: z.string().min(1).max(200) });
const contactSchema = z.object({
  full_name: text,
  company: text,
  website: text,
  email: z
    .array(z.object({ email: z.string(), qualification: text }))
    .nullish()
    .catch(null),
  job: text,
});
const answerSchema = z.object({
  success: z.boolean().nullish(),
  error: z.boolean().nullish().catch(null),
  data: z.array(contactSchema).nullish(),
});

/**
 * Addresses of Dropcontact (`POST /v1/enrich/all`, then `GET /v1/enrich/all/{request_id}`): it takes a question, works on it, and is asked
 * for the answer under the id of the question. The phone that it tells is the company's, so it is not asked for one.
 */
export function dropcontact(endpoint: EnrichmentEndpoint): EnrichmentProvider {
  return {
    name: 'dropcontact',
    fields: ['email'],
    async find(contact, _, { signal, ref }) {
      if (ref) return answerOf(endpoint, ref, signal);
      if (!canKnow(contact)) return {};
      const data = [
        {
          ...(contact.firstName ? { first_name: contact.firstName } : {}),
          ...(contact.lastName ? { last_name: contact.lastName } : {}),
          ...(contact.fullName ? { full_name: contact.fullName } : {}),
          ...(contact.company ? { company: contact.company } : {}),
          ...(contact.profileUrl ? { linkedin: contact.profileUrl } : {}),
        },
      ];
      const taken = takenSchema.safeParse(await ask(endpoint, '', signal, JSON.stringify({ data, siren: false })));
      if (!taken.success) throw new CallError('busy', 'dropcontact did not take the question');
      return { pending: { ref: taken.data.request_id, askAfterMs: ASK_AFTER_MS } };
    },
  };
}

/** What it needs to know somebody. */
function canKnow({ fullName, company, profileUrl }: OutsideContact): boolean {
  return profileUrl !== '' || (fullName !== '' && company !== '');
}

async function answerOf(endpoint: EnrichmentEndpoint, ref: string, signal: AbortSignal): Promise<Enrichment> {
  const parsed = answerSchema.safeParse(await ask(endpoint, `/${encodeURIComponent(ref)}`, signal));
  if (!parsed.success) throw new CallError('busy', 'dropcontact answered in another shape');
  const { success, error, data } = parsed.data;
  // What it still works on is no success either, and no error.
  if (error && !success) throw new CallError('refused', 'dropcontact could not answer the question');
  if (!success || !data) return { pending: { ref, askAfterMs: ASK_AFTER_MS } };
  const [contact] = data;
  if (!contact) return {};
  const best = (contact.email ?? []).flatMap(({ email, qualification }) => qualified(email, qualification ?? ''))[0];
  const who = { fullName: contact.full_name ?? '', company: contact.company ?? '', domain: hostOf(contact.website) };
  return { who, ...best };
}

/** `local@domain` as it qualifies an address: only one that belongs to a person at a company is a finding. */
function qualified(address: string, qualification: string): { email: string; emailStatus: MailStatus }[] {
  const email = normalMail(address);
  const status = ({ 'nominative@pro': 'valid', 'catch_all@pro': 'catch_all' } as const)[qualification];
  return email && status ? [{ email, emailStatus: status }] : [];
}

function hostOf(website: string | null | undefined): string {
  return (website ?? '')
    .replace(/^https?:\/\//, '')
    .replace(/^www\./, '')
    .replace(/\/.*$/, '');
}

function ask(endpoint: EnrichmentEndpoint, path: string, signal: AbortSignal, body?: string): Promise<unknown> {
  const question = {
    method: body === undefined ? ('GET' as const) : ('POST' as const),
    path: `v1/enrich/all${path}`,
    keyHeader: 'x-access-token',
    headers: { 'content-type': 'application/json' },
    body,
    nobody: [],
  };
  return askEnrichment(endpoint, question, signal);
}
