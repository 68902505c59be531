import type { AskedField, KeptAttempt } from '../../domain/enrichment/attempt.ts';
import { ENRICH_FIELDS, type EnrichField } from '../../domain/enrichment/enrich-fields.ts';
import { badMail, type MailChecks, STATUS_OF_BAD } from '../../domain/enrichment/mail-verdict.ts';
import { type AnsweredSubject, sameSubject } from '../../domain/enrichment/same-subject.ts';
import type { OutsideContact } from '../../domain/outside-contact.ts';
import type { AskedCompany, Enrichment, EnrichmentOptions, EnrichmentProvider } from './enrichment-provider.ts';

/** What a provider said of the fields that it was asked for; a field that is absent was not found. */
export type SubjectAnswer =
  | { fields: ReadonlyMap<AskedField, Pick<KeptAttempt, 'outcome' | 'answer' | 'confidence' | 'error'>> }
  | { pending: NonNullable<Enrichment['pending']> };

/** A provider that is asked about one subject. */
export interface Seat {
  name: string;
  fields: readonly AskedField[];
  /** @param mail the address that was found for them, not yet written. @throws CallError */
  ask(fields: readonly AskedField[], mail: string | null, options: EnrichmentOptions): Promise<SubjectAnswer>;
}

/** Our own checks of an address stand before those who are paid for it. */
export const OWN_CHECKS = 'checks';

/** Who is asked about a person, in this order. */
export function personSeats(
  providers: readonly EnrichmentProvider[],
  contact: OutsideContact,
  checks: MailChecks,
): Seat[] {
  const own: Seat = {
    name: OWN_CHECKS,
    fields: ['email_verification'],
    ask: async (_, mail) => {
      const address = mail ?? contact.email;
      const bad = address === null ? null : await badMail(address, checks);
      if (bad === null) return { fields: new Map() };
      const answer = { emailStatus: STATUS_OF_BAD[bad], verified: address };
      return { fields: new Map([['email_verification', { outcome: 'found', answer, confidence: 1 }]]) };
    },
  };
  return [own, ...providers.map((provider) => personSeat(provider, contact, checks))];
}

function personSeat(provider: EnrichmentProvider, contact: OutsideContact, checks: MailChecks): Seat {
  return {
    name: provider.name,
    fields: provider.fields,
    async ask(fields, mail, options) {
      const wanted = ENRICH_FIELDS.filter((field) => fields.includes(field));
      const known = { ...contact, email: mail ?? contact.email };
      // Without an address there is nothing to verify.
      if (known.email === null && wanted.every((field) => field === 'email_verification')) return { fields: new Map() };
      const found = await provider.find(known, wanted, options);
      if (found.pending) return { pending: found.pending };
      const about: AnsweredSubject = { fullName: contact.fullName, company: contact.company };
      const isOther = found.who !== undefined && !sameSubject(about, found.who);
      const told: EnrichField[] = found.email && found.emailStatus ? [...wanted, 'email_verification'] : wanted;
      const answers = await Promise.all(
        told.map(async (field) => [field, await judged(field, found, checks, known.email)] as const),
      );
      return {
        fields: new Map(
          answers.flatMap(([field, answer]) =>
            answer
              ? [[field, isOther ? { outcome: 'mismatch' as const, error: 'it is about somebody else' } : answer]]
              : [],
          ),
        ),
      };
    },
  };
}

/** An answer for one field, when it says something; an address that is of no use is not found. */
async function judged(
  field: EnrichField,
  found: Enrichment,
  checks: MailChecks,
  verified: string | null,
): Promise<Pick<KeptAttempt, 'outcome' | 'answer' | 'confidence' | 'error'> | undefined> {
  const confidence = found.confidence ?? null;
  if (field === 'profile') {
    return found.profile && { outcome: 'found', answer: { ...found.profile, profile: true }, confidence };
  }
  if (field === 'phone')
    return found.phone ? { outcome: 'found', answer: { phone: found.phone }, confidence } : undefined;
  const { email, emailStatus } = found;
  if (field === 'email_verification') {
    // Of an address that came with it nothing is said: it is not found.
    if (!emailStatus || (email && emailStatus === 'invalid')) return undefined;
    return { outcome: 'found', answer: { emailStatus, verified: email ?? verified }, confidence };
  }
  if (!email) return undefined;
  const bad = emailStatus === 'invalid' ? 'invalid' : await badMail(email, checks);
  if (bad !== null) return { outcome: 'invalid', error: bad };
  return { outcome: 'found', answer: { email, ...(emailStatus ? { emailStatus } : {}) }, confidence };
}

/** Who is asked about a company, in this order. */
export function companySeats(providers: readonly EnrichmentProvider[], company: AskedCompany): Seat[] {
  return providers.flatMap((provider): Seat[] => {
    const { name, findCompany } = provider;
    if (!findCompany) return [];
    const ask: Seat['ask'] = async (_, __, options) => {
      const told = await findCompany(company, options);
      if (told === null || Object.keys(told.found).length === 0) return { fields: new Map() };
      const isOther = !sameSubject({ company: company.name, domain: company.domain }, told.who);
      const answer = { ...told.found };
      return {
        fields: new Map([
          [
            'company',
            isOther
              ? { outcome: 'mismatch', error: 'it is about another company' }
              : { outcome: 'found', answer, confidence: told.confidence ?? null },
          ],
        ]),
      };
    };
    return [{ name, fields: ['company'], ask }];
  });
}
