import { said } from './said.ts';
import type { TemplateFacts } from './template.ts';

/** A fact on record about a person, with the field that says so. Catalog `CraftedText.facts`. */
export interface SourcedFact {
  text: string;
  source: string;
}

/** What may be said about a lead, best first: news, role, employer, headline, industry, place. A name is no fact. */
export function sourcedFacts({ lead, signal }: Pick<TemplateFacts, 'lead' | 'signal'>): readonly SourcedFact[] {
  const known: readonly (readonly [source: string, text: string])[] = [
    ['signal:title', signal.title],
    ['lead:title', lead.title],
    ['lead:company', lead.company],
    ['lead:headline', lead.headline],
    ['lead:industry', lead.industry],
    ['lead:location', lead.location],
  ];
  return known.flatMap(([source, text]) => (said(text) === '' ? [] : [{ text: said(text), source }]));
}

/** The facts that a text really states: their words stand in it, whatever the case. */
export function factsIn(text: string, facts: readonly SourcedFact[]): readonly SourcedFact[] {
  const folded = fold(text);
  return facts.filter((fact) => folded.includes(fold(fact.text)));
}

function fold(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
