import { bannedPhrasesIn } from '../review-flags.ts';
import { gapIn } from '../text-gaps.ts';
import { checkClaims, type Finding } from './check-claims.ts';
import type { CraftFailure, CraftOrder, Draft } from './craft-order.ts';
import { isOtherLanguage } from './language-of.ts';
import { ownWords } from './own-words.ts';
import { tokensOf } from './text-tokens.ts';
import { wordsOf } from './words/words-of.ts';
import type { WritingFact } from './writing-fact.ts';

/** What a draft is worth: the text with the facts that it states, or what is wrong with it. */
export type Verdict =
  | {
      kind: 'passes';
      text: string;
      subject: string | null;
      stated: readonly { fact: WritingFact; segments: string[] }[];
    }
  | { kind: 'too_few_facts'; stated: number }
  | { kind: 'fails'; failure: CraftFailure; reason: string };

/** What a writer says of itself, or of what it was told: never part of a text for a person. */
const GIVES_AWAY =
  /\b(?:as an? (?:ai|artificial|language|llm)|i am an? (?:ai|language model|assistant)|language model|als ki\b|sprachmodell|en tant qu ?ia|modele de langage|como (?:una )?ia\b|modelo de lenguaje|system prompt|prompt|playbook|fact ?ids?|segments?|here is (?:the|your) (?:text|message|draft)|i (?:can ?not|can t|cannot) (?:help|assist|comply|write))\b/;
const MARKS = /‹‹|››|<<|>>|```|\b[fcpt]\d{1,2}\b(?=[\s,.)\]])|\[(?:[fcpt]\d{1,2}[,\s]*)+\]/;
/** Words of a playbook in a row that are recited, not said. */
const RECITED_WORDS = 22;

/**
 * Judges a draft by rules alone. Nothing outside of the segments exists; each has to be covered (`checkClaims`), and the whole has to be
 * a text in the asked language, within its length, without gaps, without words of the one who wrote it.
 * @param secrets random words of the prompt, which no text may repeat
 */
export function judgeDraft(order: CraftOrder, draft: Draft, secrets: readonly string[] = []): Verdict {
  const text = joined(draft);
  const subject = draft.subject?.text.trim() || null;
  const whole = [subject ?? '', text].join('\n').trim();
  const wrong = wrongWith(order, { text, subject, whole, secrets });
  if (wrong) return { kind: 'fails', ...wrong };
  const segments = [...(draft.subject ? [draft.subject] : []), ...draft.segments];
  const findings = checkClaims(segments, {
    language: order.language,
    facts: order.facts,
    own: {
      text: ownWords(order),
      addressee: [order.addressee],
      sender: [order.sender.firstName, order.sender.fullName],
    },
    mode: order.task.kind === 'post' ? 'prose' : 'person',
    now: order.now,
  });
  const [worst] = [...findings].sort((a, b) => rank(a) - rank(b));
  if (worst) {
    const shown = findings.slice(0, 5).map((finding) => `"${finding.text}"`);
    return { kind: 'fails', failure: worst.code, reason: `nothing on record says ${shown.join(', ')}` };
  }
  const stated = statedIn(order, segments);
  if (stated.length < order.requireFacts) return { kind: 'too_few_facts', stated: stated.length };
  return { kind: 'passes', text, subject, stated };
}

function rank({ code }: Finding): number {
  return code === 'unsourced_claim' ? 0 : 1;
}

function joined({ segments }: Draft): string {
  let text = '';
  for (const segment of segments) {
    const next = segment.text.replace(/[^\S\n]+/g, ' ').replace(/^ +| +$/g, '');
    text += text === '' || /\n$/.test(text) || /^\n/.test(next) ? next : ` ${next}`;
  }
  return text.trim();
}

interface Whole {
  text: string;
  subject: string | null;
  whole: string;
  secrets: readonly string[];
}

function wrongWith(
  order: CraftOrder,
  { text, subject, whole, secrets }: Whole,
): { failure: CraftFailure; reason: string } | null {
  if (text === '') return { failure: 'no_answer', reason: 'the text is empty' };
  const folded = tokensOf(whole)
    .map((token) => token.folded)
    .join(' ');
  const given = GIVES_AWAY.exec(folded) ?? MARKS.exec(whole);
  if (given || secrets.some((secret) => whole.includes(secret))) {
    return { failure: 'injected', reason: 'the text speaks of how it was written' };
  }
  if (recites(folded, order.playbook ?? '')) return { failure: 'injected', reason: 'the text recites the playbook' };
  if (isOtherLanguage(whole, order.language)) {
    return {
      failure: 'other_language',
      reason: `the text is not in the language that was asked for (${order.language})`,
    };
  }
  const gap = gapIn(whole, order.facts);
  if (gap !== null) return { failure: 'unfinished', reason: `${gap} is left for somebody to fill` };
  if (greetings(order, text) > 1) return { failure: 'unfinished', reason: 'the text greets twice' };
  if (text.length > order.maxLength) {
    return { failure: 'too_long', reason: `the text has ${text.length} characters of ${order.maxLength}` };
  }
  if (subject !== null && subject.length > 200)
    return { failure: 'too_long', reason: 'the subject has more than 200 characters' };
  const [banned] = bannedPhrasesIn(whole, order.voice.bannedPhrases);
  if (banned !== undefined) return { failure: 'banned_phrase', reason: `the voice of the workspace bans "${banned}"` };
  return null;
}

function recites(folded: string, playbook: string): boolean {
  const words = tokensOf(playbook).map((token) => token.folded);
  for (let from = 0; from + RECITED_WORDS <= words.length; from++) {
    if (folded.includes(words.slice(from, from + RECITED_WORDS).join(' '))) return true;
  }
  return false;
}

function greetings({ language }: CraftOrder, text: string): number {
  const words = wordsOf(language);
  return tokensOf(text).filter((token) => token.starts && token.capital && words.greetings.has(token.folded)).length;
}

/** The facts that are cited and of which a word that says something stands in the segment. */
function statedIn(
  { facts, language }: CraftOrder,
  segments: readonly { text: string; factIds: readonly string[] }[],
): { fact: WritingFact; segments: string[] }[] {
  const { plain } = wordsOf(language);
  return facts.flatMap((fact) => {
    const says = new Set(tokensOf(fact.text).map(({ folded }) => folded));
    const stating = segments.filter(
      ({ text, factIds }) =>
        factIds.includes(fact.id) &&
        tokensOf(text).some(
          // A name may be a plain word: a company called Focus.
          ({ folded, capital, starts }) => says.has(folded) && (!plain.has(folded) || (capital && !starts)),
        ),
    );
    return stating.length === 0 ? [] : [{ fact, segments: stating.map(({ text }) => text.trim()) }];
  });
}
