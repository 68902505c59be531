import { z } from 'zod';
import { normalMail } from '../../domain/person-identity.ts';
import { CallError } from '../call-error.ts';
import { askEnrichment, type EnrichmentEndpoint } from './ask-enrichment.ts';
import type { CompanyEnrichment, Enrichment, EnrichmentProvider } from './enrichment-provider.ts';

/** From 1 to 10; by default it answers from 2 on, with the one who has the name at some company. */
const LEAST_LIKELIHOOD = 6;
const text = z.string().min(1).max(500).nullish().catch(null);
// A plan without a field answers `true` ("known, not included") instead of it.
const answerSchema = z.object({
  likelihood: z.number().nullish(),
  data: z.object({
    full_name: text,
    job_title: text,
    job_company_name: text,
    job_company_website: text,
    headline: text,
    industry: text,
    location_name: text,
    location_country: text,
    work_email: text,
    mobile_phone: text,
    phone_numbers: z.array(z.string()).nullish().catch(null),
  }),
});

const companySchema = z.object({
  likelihood: z.number().nullish(),
  name: text,
  website: text,
  size: text,
  employee_count: z.number().nullish().catch(null),
  industry: text,
  location: z.object({ name: text }).nullish().catch(null),
  linkedin_url: text,
  latest_funding_stage: text,
  last_funding_date: text,
  employee_growth_rate: z.object({ '12_month': z.number().nullish() }).nullish().catch(null),
});

/** People and companies of People Data Labs (`GET /v5/person/enrich`, `GET /v5/company/enrich`). */
export function peopleDataLabs(endpoint: EnrichmentEndpoint): EnrichmentProvider {
  return {
    name: 'people_data_labs',
    fields: ['profile', 'email', 'phone'],
    async find(contact, fields, { signal }) {
      const query = new URLSearchParams({ min_likelihood: String(LEAST_LIKELIHOOD) });
      if (contact.profileUrl) query.set('profile', contact.profileUrl);
      if (contact.email) query.set('email', contact.email);
      if (contact.fullName) query.set('name', contact.fullName);
      if (contact.company) query.set('company', contact.company);
      const told = await ask(endpoint, `person/enrich?${query}`, answerSchema, signal);
      if (told === undefined) return {};
      const { likelihood, data } = told;
      return (likelihood ?? LEAST_LIKELIHOOD) < LEAST_LIKELIHOOD
        ? {}
        : { ...only(data, fields), ...sureness(likelihood) };
    },
    async findCompany(company, { signal }) {
      const query = new URLSearchParams({ min_likelihood: String(LEAST_LIKELIHOOD) });
      if (company.domain) query.set('website', company.domain);
      if (company.name) query.set('name', company.name);
      const told = await ask(endpoint, `company/enrich?${query}`, companySchema, signal);
      if (told === undefined) return null;
      const who = { company: told.name ?? '', domain: told.website ?? '' };
      return { found: companyOf(told), who, ...sureness(told.likelihood) };
    },
  };
}

/** Whom it says that its answer is about. */
function whoOf(data: z.infer<typeof answerSchema>['data']): Pick<Enrichment, 'who'> {
  const { full_name: fullName, job_company_name: company, job_company_website: domain } = data;
  if (!fullName && !company && !domain) return {};
  return { who: { fullName: fullName ?? '', company: company ?? '', domain: domain ?? '' } };
}

/** Its likelihood, 1 to 10, as a confidence. */
function sureness(likelihood: number | null | undefined): { confidence?: number } {
  return likelihood == null ? {} : { confidence: Math.min(1, likelihood / 10) };
}

/** @returns undefined when it does not know whom or what is meant */
async function ask<T>(
  endpoint: EnrichmentEndpoint,
  what: string,
  schema: z.ZodType<T>,
  signal: AbortSignal,
): Promise<T | undefined> {
  const answer = await askEnrichment(endpoint, { path: `v5/${what}`, nobody: [404] }, signal);
  if (answer === undefined) return undefined;
  const parsed = schema.safeParse(answer);
  if (!parsed.success) throw new CallError('busy', 'people_data_labs answered in another shape');
  return parsed.data;
}

function companyOf(told: z.infer<typeof companySchema>): CompanyEnrichment {
  const raised = Date.parse(told.last_funding_date ?? '');
  const growth = told.employee_growth_rate?.['12_month'];
  return {
    ...(told.website ? { website: told.website } : {}),
    ...(told.industry ? { industry: told.industry } : {}),
    ...(told.size ? { companySize: told.size } : {}),
    ...(told.employee_count ? { headcount: told.employee_count } : {}),
    ...(growth != null ? { headcountGrowthPct: Math.round(growth * 1000) / 10 } : {}),
    ...(told.location?.name ? { location: told.location.name } : {}),
    ...(told.latest_funding_stage ? { fundingStage: told.latest_funding_stage } : {}),
    ...(Number.isNaN(raised) ? {} : { lastFundingAt: raised }),
    ...(told.linkedin_url ? { profileUrl: told.linkedin_url } : {}),
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
    ...whoOf(data),
    ...(fields.includes('profile') && Object.keys(profile).length > 0 ? { profile } : {}),
    ...(fields.includes('email') && email ? { email } : {}),
    ...(fields.includes('phone') && phone ? { phone } : {}),
  };
}
