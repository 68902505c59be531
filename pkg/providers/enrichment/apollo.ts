import { z } from 'zod';
import { normalMail } from '../../domain/person-identity.ts';
import { CallError } from '../call-error.ts';
import { askEnrichment, type EnrichmentEndpoint } from './ask-enrichment.ts';
import type { CompanyEnrichment, Enrichment, EnrichmentProvider, MailStatus } from './enrichment-provider.ts';

const text = z.string().min(1).max(500).nullish().catch(null);
const number = z.number().nullish().catch(null);
const organizationSchema = z.object({
  name: text,
  website_url: text,
  primary_domain: text,
  linkedin_url: text,
  industry: text,
  estimated_num_employees: number,
  organization_headcount_twelve_month_growth: number,
  city: text,
  country: text,
  latest_funding_stage: text,
  latest_funding_round_date: text,
  technology_names: z.array(z.string()).nullish().catch(null),
});
const personSchema = z.object({
  person: z
    .object({
      name: text,
      title: text,
      headline: text,
      seniority: text,
      email: text,
      email_status: text,
      city: text,
      country: text,
      organization: organizationSchema.nullish().catch(null),
    })
    .nullish(),
});
const companySchema = z.object({ organization: organizationSchema.nullish() });
/** Its words for what it knows of an address; a guess is no finding, and so is a locked one (`email_not_unlocked@domain.com`). */
const STATUS: Readonly<Record<string, MailStatus>> = { verified: 'valid', unavailable: 'invalid', bounced: 'invalid' };
const GUESSED: readonly string[] = ['guessed', 'extrapolated'];
const LOCKED = 'email_not_unlocked@';
/** Nothing in the question is enough to know somebody by. */
const NOBODY: readonly number[] = [404, 422];

/**
 * People and companies of Apollo (`POST /api/v1/people/match`, `GET /api/v1/organizations/enrich`). It delivers phone numbers to a webhook
 * only, so it is not asked for them.
 */
export function apollo(endpoint: EnrichmentEndpoint): EnrichmentProvider {
  return {
    name: 'apollo',
    fields: ['profile', 'email'],
    async find(contact, fields, { signal }) {
      const query = new URLSearchParams({ reveal_personal_emails: 'false', reveal_phone_number: 'false' });
      if (contact.fullName) query.set('name', contact.fullName);
      if (contact.firstName) query.set('first_name', contact.firstName);
      if (contact.lastName) query.set('last_name', contact.lastName);
      if (contact.company) query.set('organization_name', contact.company);
      if (contact.email) query.set('email', contact.email);
      if (contact.profileUrl) query.set('linkedin_url', contact.profileUrl);
      const parsed = personSchema.safeParse(await ask(endpoint, 'POST', `people/match?${query}`, signal));
      if (!parsed.success) throw new CallError('busy', 'apollo answered in another shape');
      const { person } = parsed.data;
      return person ? only(person, fields) : {};
    },
    async findCompany(company, { signal }) {
      // It knows companies by their domain alone.
      if (company.domain === '') return null;
      const query = new URLSearchParams({ domain: company.domain });
      const parsed = companySchema.safeParse(await ask(endpoint, 'GET', `organizations/enrich?${query}`, signal));
      if (!parsed.success) throw new CallError('busy', 'apollo answered in another shape');
      const { organization } = parsed.data;
      if (!organization) return null;
      const { name, primary_domain: domain } = organization;
      return { found: companyOf(organization), who: { company: name ?? '', domain: domain ?? '' } };
    },
  };
}

function only(person: NonNullable<z.infer<typeof personSchema>['person']>, fields: readonly string[]): Enrichment {
  const { name, organization, email_status: told } = person;
  const address =
    person.email?.startsWith(LOCKED) || GUESSED.includes(told ?? '') ? null : normalMail(person.email ?? '');
  const status = STATUS[told ?? ''];
  const profile = {
    ...(person.title ? { title: person.title } : {}),
    ...(person.headline ? { headline: person.headline } : {}),
    ...(organization?.industry ? { industry: organization.industry } : {}),
    ...(person.city ? { location: [person.city, person.country].filter(Boolean).join(', ') } : {}),
    ...(person.country ? { country: person.country } : {}),
  };
  return {
    who: { fullName: name ?? '', company: organization?.name ?? '', domain: organization?.primary_domain ?? '' },
    ...(fields.includes('profile') && Object.keys(profile).length > 0 ? { profile } : {}),
    ...(fields.includes('email') && address ? { email: address, ...(status ? { emailStatus: status } : {}) } : {}),
  };
}

function companyOf(told: z.infer<typeof organizationSchema>): CompanyEnrichment {
  const raised = Date.parse(told.latest_funding_round_date ?? '');
  const growth = told.organization_headcount_twelve_month_growth;
  return {
    ...(told.website_url ? { website: told.website_url } : {}),
    ...(told.industry ? { industry: told.industry } : {}),
    ...(told.estimated_num_employees ? { headcount: told.estimated_num_employees } : {}),
    ...(growth != null ? { headcountGrowthPct: Math.round(growth * 1000) / 10 } : {}),
    ...(told.city ? { location: [told.city, told.country].filter(Boolean).join(', ') } : {}),
    ...(told.latest_funding_stage ? { fundingStage: told.latest_funding_stage } : {}),
    ...(Number.isNaN(raised) ? {} : { lastFundingAt: raised }),
    ...(told.technology_names?.length ? { technologies: told.technology_names.slice(0, 100) } : {}),
    ...(told.linkedin_url ? { profileUrl: told.linkedin_url } : {}),
  };
}

async function ask(
  endpoint: EnrichmentEndpoint,
  method: 'GET' | 'POST',
  what: string,
  signal: AbortSignal,
): Promise<unknown> {
  const question = {
    method,
    path: `api/v1/${what}`,
    headers: { 'content-type': 'application/json' },
    ...(method === 'POST' ? { body: '{}' } : {}),
    nobody: NOBODY,
  };
  const answer = await askEnrichment(endpoint, question, signal);
  return answer === undefined ? {} : answer;
}
