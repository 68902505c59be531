import { type CompanyForms, companyForms, sameCompanyName } from './company-name.ts';
import { employerDomain, readCompanyDomain } from './identity/domain.ts';
import { isRoleMail, mailIdentity } from './mail-identity.ts';
import { profileId } from './person-identity.ts';
import { type NameForms, nameForms, sameName } from './person-name.ts';
import { domainLabel, sameRegistrable } from './registrable-domain.ts';

/** What a source says of a person; empty texts are unknown. */
export interface PersonFacts {
  fullName: string;
  company: string;
  companyDomain: string;
  email: string;
  profileUrl: string;
}

/** The same in the forms that are compared; made once per record. */
export interface PersonForms {
  profile: string | null;
  /** As `mailIdentity`. */
  mail: string | null;
  /** Nobody's own mailbox. */
  sharedMail: boolean;
  name: NameForms;
  company: CompanyForms;
  /** Domain of the employer, never a free mail provider's. */
  domain: string | null;
}

/** Prepares a record for `samePerson`. */
export function personForms(facts: PersonFacts): PersonForms {
  const mail = facts.email === '' ? null : mailIdentity(facts.email);
  const domain = readCompanyDomain(facts.companyDomain).value ?? (mail === null ? null : employerDomain(mail));
  return {
    profile: facts.profileUrl === '' ? null : profileId(facts.profileUrl),
    mail,
    sharedMail: mail !== null && isRoleMail(mail),
    name: nameForms(facts.fullName),
    company: companyForms(facts.company),
    domain: domain || null,
  };
}

/**
 * Whether two records are one person. A profile proves it, and two profiles disprove it; so does a mailbox of one's
 * own; else name and employer must both agree. When in doubt they are two: a merge can't be taken back, a duplicate can.
 */
export function samePerson(a: PersonForms, b: PersonForms): boolean {
  if (a.profile !== null && b.profile !== null) return a.profile === b.profile;
  const [mine, theirs] = [personalMail(a), personalMail(b)];
  if (mine !== null && mine === theirs) return true;
  if (mine !== null && theirs !== null && hostOf(mine) === hostOf(theirs)) return false;
  return sameName(a.name, b.name) && sameEmployer(a, b);
}

function personalMail(person: PersonForms): string | null {
  return person.sharedMail ? null : person.mail;
}

function hostOf(mail: string): string {
  return mail.slice(mail.lastIndexOf('@') + 1);
}

/** By domain where both have one, else by name, or the one's name against the other's domain. */
function sameEmployer(a: PersonForms, b: PersonForms): boolean {
  if (a.domain !== null && b.domain !== null) {
    if (sameRegistrable(a.domain, b.domain)) return true;
    // acme.com and acme.de are one firm when their names agree too.
    return domainLabel(a.domain) === domainLabel(b.domain) && sameCompanyName(a.company, b.company);
  }
  if (sameCompanyName(a.company, b.company)) return true;
  return domainNamesCompany(a.company, b.domain) || domainNamesCompany(b.company, a.domain);
}

/** Whether the word that its owner chose for a domain is a company's name: `acme-tools.io` is `Acme Tools GmbH`. */
export function domainNamesCompany(company: CompanyForms, domain: string | null): boolean {
  return domain !== null && sameCompanyName(company, companyForms(domainLabel(domain).replaceAll('-', ' ')));
}

/** Keys of which two records of one person by mail, or by name and employer, share at least one: who is to be compared. */
export function matchKeys({ name, company, domain, mail, sharedMail }: PersonForms): string[] {
  const firms = new Set([...company.keys, ...(company.acronym ? [company.acronym] : [])]);
  if (domain !== null) for (const key of companyForms(domainLabel(domain).replaceAll('-', ' ')).keys) firms.add(key);
  const names = new Set(name.words.flatMap(lookupWords));
  const pairs = [...names].flatMap((word) => [...firms].map((firm) => `${word}|${firm}`));
  return [...(mail === null || sharedMail ? [] : [`@${mail}`]), ...pairs].slice(0, MOST_KEYS);
}

/** A name of more words and spellings than this is found by some of them. */
const MOST_KEYS = 40;

/** A name is found by its first and last word, in any order, and by its first two: a second family name may be left out. */
function lookupWords(words: readonly string[]): string[] {
  const [first, second] = words;
  const last = words.at(-1);
  if (first === undefined || second === undefined || last === undefined) return [];
  return [last, second].map((other) => [first, other].sort().join('+'));
}
