import { greetingName } from './greeting-name.ts';

/** Risk flags of a draft in review. Source: catalog record ReviewItem. */
export const RISK_FLAGS = [
  'unsourced_claim',
  'banned_phrase',
  'too_long',
  'first_touch',
  'sensitive',
  'stale_signal',
  'name_changed',
] as const;
export type RiskFlag = (typeof RISK_FLAGS)[number];

export interface DraftToJudge {
  body: string;
  /** Characters the channel allows; null: no text. */
  maxLength: number | null;
  /** Phrases that the workspace's voice forbids. */
  bannedPhrases: readonly string[];
  /** Earlier touches of this person by this run or any other of the workspace. */
  touches: number;
  /** When the signal that the text uses happened (epoch ms), or null. */
  signalAt: number | null;
  now: number;
  /** Facts on record that the text states: what one of them says is sourced. */
  facts?: readonly { text: string }[];
  /** Given name of the person as the record has it; absent: the text greets nobody. */
  firstName?: string;
}

/** A signal older than this reads as old news. */
const STALE_SIGNAL_MS = 30 * 86_400_000;
/** Subjects that a person should look at before they go out: health, faith, politics, origin, private life. */
const SENSITIVE =
  /\b(cancer|illness|disease|pregnan\w*|disabilit\w*|religio\w*|christian|muslim|jewish|politic\w*|election|union member|divorce|salary|laid off|layoff\w*|fired|funeral|passed away|sexual\w*|ethnic\w*)\b/i;
/** Numbers and superlatives that nobody gave a source for. */
const CLAIM =
  /\b\d+(?:[.,]\d+)?\s?%|\b\d+x\b|#1\b|\b(?:guarantee\w*|proven|best in class|number one|market leader)\b/gi;

const fold = (text: string) => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ');

/** Characters as people count them: an emoji is one. */
export function textLength(text: string): number {
  return [...text].length;
}

/** Phrases of the list that occur in the text. */
export function bannedPhrasesIn(body: string, bannedPhrases: readonly string[]): readonly string[] {
  const text = fold(body);
  return bannedPhrases.filter((phrase) => phrase.trim() !== '' && text.includes(fold(phrase.trim())));
}

function hasUnsourcedClaim({ body, facts = [] }: DraftToJudge): boolean {
  const known = facts.map((fact) => fold(fact.text));
  return (body.match(CLAIM) ?? []).some((claim) => !known.some((text) => text.includes(fold(claim))));
}

/** Whether the text calls the person by another form of the name than the record gives: `WENDY` is greeted as Wendy. */
function greetsOtherwise({ body, firstName = '' }: DraftToJudge): boolean {
  const name = greetingName(firstName);
  return name !== '' && name !== firstName.trim() && body.includes(name);
}

/** The flags of a draft, in the catalog's order; computed again on every edit. */
export function reviewFlags(draft: DraftToJudge): readonly RiskFlag[] {
  const flags: RiskFlag[] = [];
  if (hasUnsourcedClaim(draft)) flags.push('unsourced_claim');
  if (bannedPhrasesIn(draft.body, draft.bannedPhrases).length > 0) flags.push('banned_phrase');
  if (draft.maxLength !== null && textLength(draft.body) > draft.maxLength) flags.push('too_long');
  if (draft.touches === 0) flags.push('first_touch');
  if (SENSITIVE.test(draft.body)) flags.push('sensitive');
  if (draft.signalAt !== null && draft.now - draft.signalAt > STALE_SIGNAL_MS) flags.push('stale_signal');
  if (greetsOtherwise(draft)) flags.push('name_changed');
  return flags;
}
