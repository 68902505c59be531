import { domainToUnicode } from 'node:url';
import { mailIdentity } from './mail-identity.ts';
import { nameCompanySpellings } from './name-spellings.ts';
import { profileId } from './person-identity.ts';

/** What an erased person can be recognised by; empty texts are unknown. */
export interface Identifiable {
  fullName: string;
  company: string;
  email: string | null;
  profileUrl: string;
}

/** Identities to keep (as salted hashes) when a person is erased: address, profile, name at a company. */
export function identitiesOf(person: Identifiable): string[] {
  return [...proofsOf(person), ...namesOf(person).slice(0, 1)];
}

/**
 * Identities by which a row is recognised as an erased person's. A name at a company counts only where the row has
 * nothing better: a namesake with an address of their own is somebody else.
 */
export function identitiesToAsk(person: Identifiable): string[] {
  const proofs = proofsOf(person);
  return proofs.length > 0 ? proofs.flatMap((proof) => [proof, ...asBefore(proof)]) : namesOf(person);
}

/** A name at a company in every spelling, the one that is kept first. */
function namesOf({ fullName, company }: Identifiable): string[] {
  return nameCompanySpellings(fullName, company).map((name) => `name:${name}`);
}

/** An address as it was kept while its host had the letters that people type: what is hashed can't be made anew. */
function asBefore(proof: string): string[] {
  const [, local = '', host = ''] = /^(mail:.+@)(.*xn--.*)$/.exec(proof) ?? [];
  const typed = domainToUnicode(host);
  return typed === '' || typed === host ? [] : [local + typed];
}

/** The proofs of who a person is: address and profile. */
export function proofsOf({ email, profileUrl }: Identifiable): string[] {
  const mail = email === null || email === '' ? null : mailIdentity(email);
  const profile = profileUrl === '' ? null : profileId(profileUrl);
  return [...(mail === null ? [] : [`mail:${mail}`]), ...(profile === null ? [] : [`profile:${profile}`])];
}
