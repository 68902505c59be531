import type { AskedField, AttemptLedger, Verdicts } from '../../domain/enrichment/attempt.ts';
import type { EnrichField } from '../../domain/enrichment/enrich-fields.ts';
import type { MailChecks } from '../../domain/enrichment/mail-verdict.ts';
import { aboutCompany, aboutOf } from '../../domain/enrichment/results.ts';
import type { OutsideContact } from '../../domain/outside-contact.ts';
import type { AskedCompany, EnrichmentProvider } from './enrichment-provider.ts';
import { companySeats, personSeats } from './seats.ts';
import { runWaterfall, type Waterfall } from './waterfall.ts';

/** Everybody who can be asked, in their order, and how addresses are checked. */
export interface EnrichmentDesk {
  providers: readonly EnrichmentProvider[];
  checks: MailChecks;
  /** Names of those that the workspace pays itself: what they find costs no credits. Absent: none. */
  own?: ReadonlySet<string>;
  /** Told of each answer; who asks may name another. */
  told?: Waterfall['told'];
}

/** What is asked for, and how long it is worth it. */
export interface AskOptions {
  signal: AbortSignal;
  /** Nobody asks again for what does not answer now. */
  last: boolean;
  told?: Waterfall['told'];
}

/** Goes through the waterfall for fields of a person. @throws CallError when another took the question over */
export function askAboutPerson(
  desk: EnrichmentDesk,
  ledger: AttemptLedger,
  contact: OutsideContact,
  fields: readonly EnrichField[],
  { told = desk.told, ...options }: AskOptions,
): Promise<Verdicts> {
  const asks = fields.map((field): { field: AskedField; about: string } => ({ field, about: aboutOf(field, contact) }));
  const seats = personSeats(desk.providers, contact, desk.checks);
  return runWaterfall({ seats, ledger, ...(told ? { told } : {}) }, { asks, ...options });
}

/** As `askAboutPerson`, of a company. */
export function askAboutCompany(
  desk: EnrichmentDesk,
  ledger: AttemptLedger,
  company: AskedCompany,
  { told = desk.told, ...options }: AskOptions,
): Promise<Verdicts> {
  const asks = [{ field: 'company' as const, about: aboutCompany(company) }];
  const seats = companySeats(desk.providers, company);
  return runWaterfall({ seats, ledger, ...(told ? { told } : {}) }, { asks, ...options });
}
