import { z } from 'zod';
import { normalMail } from '../../domain/person-identity.ts';
import { CallError } from '../call-error.ts';
import { exchange, jsonOf, type OutsideRequest, refusalOf } from '../outside-http.ts';
import type { Enrichment, EnrichmentProvider } from './enrichment-provider.ts';

export interface EnrichmentEndpoint {
  url: string;
  apiKey: string;
}

const TIMEOUT_MS = 20_000;
/** From 1 to 10; by default it answers from 2 on, with the one who has the name at some company. */
const LEAST_LIKELIHOOD = 6;
const text = z.string().min(1).max(500).nullish().catch(null);
// A plan without a field answers `true` ("known, not included") instead of it.
const answerSchema = z.object({
  likelihood: z.number().nullish(),
  data: z.object({
    job_title: text,
    headline: text,
    industry: text,
    location_name: text,
    location_country: text,
    work_email: text,
    mobile_phone: text,
    phone_numbers: z.array(z.string()).nullish().catch(null),
  }),
});

/** Person enrichment of People Data Labs (`GET /v5/person/enrich`). */
export function peopleDataLabs({ url, apiKey }: EnrichmentEndpoint): EnrichmentProvider {
  return {
    name: 'people_data_labs',
    fields: ['profile', 'email', 'phone'],
    async find(contact, fields, { signal }) {
      const query = new URLSearchParams({ min_likelihood: String(LEAST_LIKELIHOOD) });
      if (contact.profileUrl) query.set('profile', contact.profileUrl);
      if (contact.email) query.set('email', contact.email);
      if (contact.fullName) query.set('name', contact.fullName);
      if (contact.company) query.set('company', contact.company);
      const call: OutsideRequest = {
        method: 'GET',
        url: `${url.replace(/\/+$/, '')}/v5/person/enrich?${query}`,
        headers: { 'x-api-key': apiKey, accept: 'application/json' },
        timeoutMs: TIMEOUT_MS,
        signal,
        harmless: true,
        reach: 'any',
      };
      const answer = await exchange(call);
      if (answer.status === 404) return {};
      if (answer.status >= 300) throw refusalOf(call, answer);
      const parsed = answerSchema.safeParse(jsonOf(answer, true));
      if (!parsed.success) throw new CallError('busy', 'people_data_labs answered in another shape');
      const { likelihood, data } = parsed.data;
      return (likelihood ?? LEAST_LIKELIHOOD) < LEAST_LIKELIHOOD ? {} : only(data, fields);
    },
  };
}

function only(data: z.infer<typeof answerSchema>['data'], fields: readonly string[]): Enrichment {
  const email = normalMail(data.work_email ?? '');
  const phone = data.mobile_phone ?? data.phone_numbers?.[0];
  const profile = {
    ...(data.job_title ? { title: data.job_title } : {}),
    ...(data.headline ? { headline: data.headline } : {}),
    ...(data.industry ? { industry: data.industry } : {}),
    ...(data.location_name ? { location: data.location_name } : {}),
    ...(data.location_country ? { country: data.location_country } : {}),
  };
  return {
    ...(fields.includes('profile') && Object.keys(profile).length > 0 ? { profile } : {}),
    ...(fields.includes('email') && email ? { email } : {}),
    ...(fields.includes('phone') && phone ? { phone } : {}),
  };
}
