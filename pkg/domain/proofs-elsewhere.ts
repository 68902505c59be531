import { mailIdentity } from './mail-identity.ts';
import { profileId } from './person-identity.ts';
import { nameForms, sameName } from './person-name.ts';

/** What a record says of who its person is; empty texts and null are unknown. */
export interface ProvenBy {
  fullName: string;
  email: string | null;
  profileUrl: string;
}

/** Which proofs of a tenant's own record name its person outside of its agency too. */
export interface ProofsElsewhere {
  mail: boolean;
  profile: boolean;
}

/**
 * Decides what an erasure by a tenant's own record takes elsewhere. One tenant's pairing of a mail address with a profile may be wrong,
 * so a proof that records elsewhere show on somebody else counts in the record's own workspace alone:
 * an address, where a record elsewhere has it beside another profile (two profiles are two persons);
 * a profile, where a record elsewhere has it with neither the address nor the name of this one.
 * A record with one proof alone names its person by it.
 * @param others records elsewhere that have the address or the profile
 */
export function proofsElsewhere(own: ProvenBy, others: readonly ProvenBy[]): ProofsElsewhere {
  const me = formsOf(own);
  if (me.mail === null || me.profile === null) return { mail: me.mail !== null, profile: me.profile !== null };
  const theirs = others.map(formsOf);
  return {
    mail: !theirs.some((one) => one.mail === me.mail && one.profile !== null && one.profile !== me.profile),
    profile: !theirs.some((one) => one.profile === me.profile && isSomebodyElse(one, me)),
  };
}

interface Forms {
  mail: string | null;
  profile: string | null;
  name: string;
}

function formsOf({ fullName, email, profileUrl }: ProvenBy): Forms {
  return {
    mail: email === null || email === '' ? null : mailIdentity(email),
    profile: profileUrl === '' ? null : profileId(profileUrl),
    name: fullName.trim(),
  };
}

/** Of two records with one profile. */
function isSomebodyElse(one: Forms, me: Forms): boolean {
  if (one.mail === me.mail) return false;
  const known = one.name !== '' && me.name !== '';
  if (known) return !sameName(nameForms(one.name), nameForms(me.name));
  return one.mail !== null;
}
