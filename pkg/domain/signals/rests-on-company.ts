import { companyForms, sameCompanyName } from '../company-name.ts';
import { employerDomain } from '../identity/domain.ts';
import { sameRegistrable } from '../registrable-domain.ts';
import { domainNamesCompany } from '../same-person.ts';

/** What is known of the company that somebody left. Empty texts are unknown. */
export interface OldCompany {
  /** Names under which it was known: of the lead, of the profile that was seen before. */
  names: readonly string[];
  domains: readonly string[];
}

/**
 * Whether a mail address goes with the company that its owner left: its domain is one of that company's, or says its name. A mailbox at a
 * mail provider stays theirs, so does a domain of their own, and the address of the new company is news, not history.
 * @param newCompany name of the company where they are now
 */
export function restsOnCompany(email: string, { names, domains }: OldCompany, newCompany: string): boolean {
  const host = employerDomain(email);
  if (host === '') return false;
  const now = companyForms(newCompany);
  // A lead may know the new company already.
  const old = names.filter((name) => name !== '').map(companyForms);
  const left = old.filter((name) => !sameCompanyName(name, now));
  if (left.some((name) => domainNamesCompany(name, host))) return true;
  if (domainNamesCompany(now, host)) return false;
  return domains.some((domain) => domain !== '' && sameRegistrable(domain, host));
}
