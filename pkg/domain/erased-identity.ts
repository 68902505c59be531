import { mailIdentity } from './mail-identity.ts';
import { nameCompanyKey, profileId } from './person-identity.ts';

/** What an erased person can be recognised by; empty texts are unknown. */
export interface Identifiable {
  fullName: string;
  company: string;
  email: string | null;
  profileUrl: string;
}

/** Identities to keep (as salted hashes) when a person is erased: address, profile, name at a company. */
export function identitiesOf(person: Identifiable): string[] {
  const name = nameCompanyKey(person.fullName, person.company);
  return [...proofsOf(person), ...(name === null ? [] : [`name:${name}`])];
}

/**
 * Identities by which a row is recognised as an erased person's. A name at a company counts only where the row has
 * nothing better: a namesake with an address of their own is somebody else.
 */
export function identitiesToAsk(person: Identifiable): string[] {
  const proofs = proofsOf(person);
  return proofs.length > 0 ? proofs : identitiesOf(person);
}

/** The proofs of who a person is: address and profile. */
export function proofsOf({ email, profileUrl }: Identifiable): string[] {
  const mail = email === null || email === '' ? null : mailIdentity(email);
  const profile = profileUrl === '' ? null : profileId(profileUrl);
  return [...(mail === null ? [] : [`mail:${mail}`]), ...(profile === null ? [] : [`profile:${profile}`])];
}
