import { profileId } from '../../domain/person-identity.ts';
import type { ShownPerson } from './network-provider.ts';
import type { PersonAnswer } from './unipile-answers.ts';

/** Somebody whom a list shows; null: a company, or nobody whose profile is named. */
export function shownPerson(given: PersonAnswer | null | undefined): ShownPerson | null {
  if (!given || given.is_company || given.type === 'COMPANY') return null;
  const named = given.public_identifier ?? given.public_profile_url ?? given.profile_url;
  const publicId = named ? profileId(named) : null;
  if (publicId === null) return null;
  const name = given.name ?? `${given.first_name ?? ''} ${given.last_name ?? ''}`;
  return { publicId, name: name.trim(), headline: given.headline ?? '' };
}
