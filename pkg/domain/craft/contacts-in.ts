import type { Own } from './claim-coverage.ts';
import type { WritingFact } from './writing-fact.ts';

interface Range {
  from: number;
  to: number;
}

/** A name before the `@` and a label of a host have 64 and 63 letters at most (RFC 5321, 1035): without bounds, each letter of a long text would be compared with all behind it. */
const CONTACT =
  /https?:\/\/[^\s<>"]+|www\.[^\s<>"]+|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+|\b[a-z0-9][a-z0-9-]{0,62}(?:\.[a-z0-9-]{1,63}){0,9}\.[a-z]{2,24}\b(?:\/[^\s<>"]*)?|\+?\d[\d ()/-]{6,}\d|(?<!\w)@\w{2,}/gi;

/**
 * Addresses, numbers to call and handles in a text. Only the house's own words cover one: what the record of a person says leads
 * people where that person, or another author, wants. An employer's name that looks like an address is a name.
 */
export function contactsIn(text: string, own: Own, cited: readonly WritingFact[]): { covered: Range[]; bare: Range[] } {
  const covered: Range[] = [];
  const bare: Range[] = [];
  const known = bareForm(own.text);
  const employers = cited.filter(({ source }) => source === 'lead:company').map((fact) => fact.text.toLowerCase());
  for (const match of text.matchAll(CONTACT)) {
    const found = match[0].replace(/(?<![.,;:!?)\]'"])[.,;:!?)\]'"]+$/, '');
    const range = { from: match.index, to: match.index + found.length };
    const ours = standsIn(known, bareForm(found));
    (ours || employers.includes(found.toLowerCase()) ? covered : bare).push(range);
  }
  return { covered, bare };
}

function bareForm(text: string): string {
  return text.toLowerCase().replace(/https?:\/\/(?:www\.)?/g, '');
}

/** Whether a contact stands in the text by itself, as no part of a longer one. It is as long as strangers like: no pattern is made of it. */
function standsIn(text: string, contact: string): boolean {
  if (contact === '') return false;
  for (let at = text.indexOf(contact); at >= 0; at = text.indexOf(contact, at + 1)) {
    const alone = !/[\w/.-]/.test(text.charAt(at - 1)) && !/[\w/-]/.test(text.charAt(at + contact.length));
    if (alone) return true;
  }
  return false;
}
