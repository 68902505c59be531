import { createHash } from 'node:crypto';
import { creditsFor } from '../credits.ts';
import type { OutsideContact } from '../outside-contact.ts';
import type { AskedField, FieldResult, Verdict, Verdicts } from './attempt.ts';
import { type EnrichField, enrichCredits } from './enrich-fields.ts';

/**
 * What a question names: asked about another address or another employer it is another question. A hash; '' for the verification of an
 * address that the asker does not know yet, which is that of the address found today (app.begin_enrichment).
 */
export function aboutOf(field: EnrichField, contact: OutsideContact): string {
  const { fullName, company, profileUrl, email } = contact;
  if (field !== 'email_verification') return hashed([fullName, company, profileUrl]);
  return email ? hashed([email]) : '';
}

/** As `aboutOf`, of a company. */
export function aboutCompany(company: { name: string; domain: string }): string {
  return hashed([company.domain || company.name]);
}

function hashed(named: readonly string[]): string {
  const text = JSON.stringify(named.map((one) => one.trim().toLowerCase()));
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Credits of a field, when it is found. */
export function priceOf(field: AskedField): number {
  return field === 'company' ? creditsFor('company_enrich', 1) : enrichCredits([field]);
}

const NOBODYS: ReadonlySet<string> = new Set();

/**
 * How each field of a lead is closed: what was answered today, and what nobody may be asked for, needs nothing.
 * @param own providers that the workspace pays itself, whose answers cost no credits
 */
export function resultsOf(
  verdicts: Verdicts,
  contact: OutsideContact | null,
  own: ReadonlySet<string> = NOBODYS,
): FieldResult[] {
  const mail = mailFound(verdicts.get('email'));
  return [...verdicts].flatMap(([field, verdict]): FieldResult[] => {
    switch (verdict.kind) {
      case 'found': {
        const { provider, answer, confidence } = verdict;
        const about =
          field === 'email_verification' && contact !== null
            ? { about: aboutOf(field, { ...contact, email: mail ?? contact.email }) }
            : {};
        return [
          {
            field,
            state: 'found',
            provider,
            answer,
            confidence,
            credits: own.has(provider) ? 0 : priceOf(field),
            ...about,
          },
        ];
      }
      case 'not_found':
        return [{ field, state: 'not_found' }];
      case 'failed':
        return [{ field, state: 'failed' }];
      case 'again':
        return [{ field, state: 'open' }];
      default:
        return [];
    }
  });
}

/** What can be closed of a question of which other fields still wait; an address and its verification are judged together. */
export function settledEarly(results: readonly FieldResult[]): FieldResult[] {
  const waits = (field: AskedField): boolean => results.some((one) => one.field === field && one.state === 'open');
  const mailWaits = waits('email') || waits('email_verification');
  return results.filter(
    ({ field, state }) => state === 'found' && !(mailWaits && (field === 'email' || field === 'email_verification')),
  );
}

function mailFound(verdict: Verdict | undefined): string | null {
  const mail = verdict?.kind === 'found' ? verdict.answer['email'] : undefined;
  return typeof mail === 'string' ? mail : null;
}
