import { type SourcedFact, sourcedFacts } from './craft-facts.ts';
import { greetingName } from './greeting-name.ts';
import type { TemplateFacts } from './template.ts';
import { variantOf } from './text-variant.ts';

export const CRAFT_CHANNELS = ['message', 'note', 'inmail', 'mail', 'comment'] as const;
/** Where a crafted text is meant for. Catalog, node type ai:craft. */
export type CraftChannel = (typeof CRAFT_CHANNELS)[number];

/** A written text with the facts that it states. */
export interface CraftedText {
  text: string;
  facts: readonly SourcedFact[];
}

/**
 * Text of the built-in writer for a later node: a greeting, the sentences that the required facts make, one question.
 * It states nothing but facts on record; the same input gives the same text. Null when fewer facts are known than
 * required, or no form fits into `maxLength` characters.
 */
export function craftFromFacts(
  channel: CraftChannel,
  facts: TemplateFacts,
  rules: { requireFacts: number; maxLength: number; seed: string },
): CraftedText | null {
  const known = sourcedFacts(facts);
  if (known.length < rules.requireFacts) return null;
  const greeting = channel === 'comment' ? '' : greetingFor(greetingName(facts.lead.firstName), rules.seed);
  // As many facts as are asked for, and one where none is: two sentences of facts read like a dossier.
  const wanted = Math.min(known.length, Math.max(1, rules.requireFacts));
  const { sentences, used } = sentencesOf(known, wanted);
  const body = [greeting, ...sentences, questionFor(channel)].filter((part) => part !== '').join(' ');
  if (body.length <= rules.maxLength) return { text: body, facts: used };
  const short = [greeting, ...sentences].filter((part) => part !== '').join(' ');
  return short !== '' && short.length <= rules.maxLength ? { text: short, facts: used } : null;
}

function greetingFor(firstName: string, seed: string): string {
  const opener = variantOf('craft', seed) === 0 ? 'Hi' : 'Hello';
  return firstName === '' ? `${opener},` : `${opener} ${firstName},`;
}

function questionFor(channel: CraftChannel): string {
  if (channel === 'note') return 'I would like to connect.';
  if (channel === 'comment') return '';
  return 'Would you be open to a short exchange about it? A no is fine too.';
}

function sentencesOf(known: readonly SourcedFact[], wanted: number): { sentences: string[]; used: SourcedFact[] } {
  const used: SourcedFact[] = [];
  const sentences: string[] = [];
  const has = (source: string) => known.find((fact) => fact.source === source);
  const role = has('lead:title');
  const employer = has('lead:company');
  for (const fact of known) {
    if (used.length >= wanted) break;
    if (used.includes(fact)) continue;
    if (fact === role && employer && !used.includes(employer)) {
      used.push(role, employer);
      sentences.push(`I came across your work as ${role.text} at ${employer.text}.`);
      continue;
    }
    used.push(fact);
    sentences.push(sentenceOf(fact));
  }
  return { sentences, used };
}

function sentenceOf({ source, text }: SourcedFact): string {
  const plain = text.replace(/[.!?\s]+$/, '');
  switch (source) {
    case 'signal:title':
      return `I saw the news: ${plain}.`;
    case 'lead:title':
      return `I came across your work as ${plain}.`;
    case 'lead:company':
      return `I follow what ${plain} does.`;
    case 'lead:headline':
      return `Your headline "${plain}" caught my eye.`;
    case 'lead:industry':
      return `I work with people in ${plain}.`;
    default:
      return `I also work with people in ${plain}.`;
  }
}
