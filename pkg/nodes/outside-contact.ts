import type { OutsideContact } from '../domain/outside-contact.ts';
import type { LeadFacts } from './node-type.ts';

/** The part of a lead that other systems are told. */
export function outsideContact(lead: LeadFacts): OutsideContact {
  const { leadId, firstName, lastName, fullName, title, company, email, profileUrl, country } = lead;
  return { leadId, firstName, lastName, fullName, title, company, email, profileUrl, country };
}
