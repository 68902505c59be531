import type { Own } from './claim-coverage.ts';
import type { WritingFact } from './writing-fact.ts';

interface Range {
  from: number;
  to: number;
}

const CONTACT =
  /https?:\/\/[^\s<>"]+|www\.[^\s<>"]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\b[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)*\.[a-z]{2,24}\b(?:\/[^\s<>"]*)?|\+?\d[\d ()/-]{6,}\d|(?<!\w)@\w{2,}/gi;

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
    const found = match[0].replace(/[.,;:!?)\]'"]+$/, '');
    const range = { from: match.index, to: match.index + found.length };
    const ours = new RegExp(`(?<![\\w/.-])${escaped(bareForm(found))}(?![\\w/-])`).test(known);
    (ours || employers.includes(found.toLowerCase()) ? covered : bare).push(range);
  }
  return { covered, bare };
}

function bareForm(text: string): string {
  return text.toLowerCase().replace(/https?:\/\/(?:www\.)?/g, '');
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
