import type { WritingLanguage } from './words/language-words.ts';
import type { WritingFact } from './writing-fact.ts';

export const CRAFT_CHANNELS = ['message', 'note', 'inmail', 'mail', 'comment'] as const;
/** Where a crafted text is meant for. Catalog, node type ai:craft. */
export type CraftChannel = (typeof CRAFT_CHANNELS)[number];

export const REPLY_INTENTS = ['answer', 'book_meeting', 'handle_objection', 'polite_close'] as const;
export type ReplyIntent = (typeof REPLY_INTENTS)[number];
export const POST_FORMATS = ['text', 'story', 'list', 'question', 'announcement'] as const;
export type PostFormat = (typeof POST_FORMATS)[number];

/** What is to be written. */
export type CraftTask =
  | { kind: 'first'; channel: CraftChannel }
  | { kind: 'reply'; channel: 'message' | 'inmail' | 'mail'; intent: ReplyIntent }
  | { kind: 'post'; format: PostFormat };

/** How the workspace sounds; all of it applied last, and the banned phrases checked. */
export interface Voice {
  toneWords: readonly string[];
  dos: readonly string[];
  donts: readonly string[];
  bannedPhrases: readonly string[];
  examples: readonly string[];
}

export const NO_VOICE: Voice = { toneWords: [], dos: [], donts: [], bannedPhrases: [], examples: [] };

export interface WriterPersona {
  name: string;
  description: string;
  painPoints: readonly string[];
  goals: readonly string[];
}

/** What a crafted text has to keep to. */
export interface CraftOrder {
  task: CraftTask;
  language: WritingLanguage;
  /** All that the text may state of others. */
  facts: readonly WritingFact[];
  /** Facts that the text states at least. */
  requireFacts: number;
  /** UTF-16 units, as networks count. */
  maxLength: number;
  /** How the person is greeted; '' where nobody is. */
  addressee: string;
  sender: { firstName: string; fullName: string };
  /** Wishes of the caller for this text. */
  instructions: string;
  /** The one playbook text that applies, or null. */
  playbook: string | null;
  persona: WriterPersona | null;
  voice: Voice;
  /** The same seed gives the same text, where the writer can. */
  seed: string;
  /** Epoch ms, product time. */
  now: number;
}

/** A fact that a text states, with the sentences that do, and a hash of what the source said. Catalog `CraftedText.facts`. */
export interface StatedFact {
  text: string;
  source: string;
  at: number | null;
  /** SHA-256 of source and text, hexadecimal. */
  hash: string;
  segments: readonly string[];
}

/** The same as it is kept with a run; what was written by a version before has neither hash nor sentences. */
export type KeptFact = Pick<StatedFact, 'text' | 'source'> & Partial<Omit<StatedFact, 'text' | 'source'>>;

/** A text that the checker let pass. */
export interface CraftedText {
  subject: string | null;
  text: string;
  facts: readonly StatedFact[];
  flags: readonly string[];
  language: WritingLanguage;
}

/** Why there is no text although there were facts. */
export const CRAFT_FAILURES = [
  'unsourced_claim',
  'promise',
  'injected',
  'other_language',
  'too_long',
  'banned_phrase',
  'unfinished',
  'refused',
  'no_answer',
] as const;
export type CraftFailure = (typeof CRAFT_FAILURES)[number];

/** What became of an order; only `written` costs credits. */
export type CraftResult =
  | { kind: 'written'; text: CraftedText }
  | { kind: 'no_facts'; reason: string }
  | { kind: 'failed'; failure: CraftFailure; reason: string };

/** What a writer handed in: a subject where the channel has one, and the text in segments. */
export interface Draft {
  subject: { text: string; factIds: readonly string[] } | null;
  segments: readonly { text: string; factIds: readonly string[] }[];
}

/** Channels whose texts have a subject. */
export function hasSubject({ task }: Pick<CraftOrder, 'task'>): boolean {
  return task.kind === 'first' && (task.channel === 'inmail' || task.channel === 'mail');
}
