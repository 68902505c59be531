import { isDamaged } from '../damaged-text.ts';
import { said } from '../said.ts';
import { carriesOrders, isNoField } from './carries-orders.ts';
import { cleanForeign } from './clean-foreign.ts';
import type { WritingFact } from './writing-fact.ts';

/** What is known of the person that a text is for; '' is unknown. */
export interface WrittenTo {
  title: string;
  company: string;
  headline: string;
  industry: string;
  location: string;
}

/** News about a person that has not expired; epoch ms. */
export interface LiveSignal {
  type: string;
  title: string;
  occurredAt: number;
}

/** Something that was written in a conversation, by the person or by us. */
export interface SaidThing {
  direction: 'in' | 'out';
  text: string;
  at: number;
}

/** News that are offered at most; the newest. */
const MAX_SIGNALS = 5;
const LONGEST = { field: 160, headline: 260, signal: 400, talk: 1_500, post: 3_000 };
/** Of a conversation the newest messages are offered. */
const MAX_MESSAGES = 8;

/**
 * The facts that a text for a person may state, best first: news, role, employer, headline, industry, place. What speaks to the one who
 * writes (an injected order) is left out, and so is what is damaged. Source of the order: what people react to.
 */
export function factsAbout(person: WrittenTo, signals: readonly LiveSignal[]): readonly WritingFact[] {
  const news = signals.slice(0, MAX_SIGNALS).map(({ type, title, occurredAt }) => ({
    source: `signal:${type}`,
    text: cleanForeign(said(title), LONGEST.signal),
    at: occurredAt,
  }));
  const fields = (['title', 'company', 'headline', 'industry', 'location'] as const).map((field) => ({
    source: `lead:${field}`,
    text: cleanForeign(said(person[field]), field === 'headline' ? LONGEST.headline : LONGEST.field),
    at: null,
  }));
  return numbered('f', [...news, ...fields].filter(isOffered));
}

/** The newest messages of a conversation as facts, oldest first. */
export function factsOfTalk(messages: readonly SaidThing[]): readonly WritingFact[] {
  const newest = [...messages].sort((a, b) => a.at - b.at).slice(-MAX_MESSAGES);
  const said = newest.map(({ direction, text, at }) => ({
    source: `conversation:${direction}`,
    text: cleanForeign(text, LONGEST.talk),
    at,
  }));
  return numbered(
    'c',
    said.filter(({ text }) => text !== '' && !carriesOrders(text, true)),
  );
}

/** A post, sentence by sentence until one speaks to the writer: what comes after an order belongs to it. */
export function factsOfPost(text: string, source = 'post:text', at: number | null = null): readonly WritingFact[] {
  const sentences = cleanForeign(text, LONGEST.post).split(/(?<=[.!?…])\s+/);
  const orders = sentences.findIndex((sentence) => carriesOrders(sentence));
  const kept = sentences.slice(0, orders < 0 ? undefined : orders).filter((sentence) => said(sentence) !== '');
  return numbered(
    'p',
    kept.map((sentence) => ({ source, text: sentence, at })),
  );
}

/** What the caller says a text is about: the caller's own words, which only lack an id. */
export function factsOfCaller(topic: string): readonly WritingFact[] {
  return numbered('t', [{ source: 'caller:topic', text: topic.trim(), at: null }]);
}

type Unnumbered = Omit<WritingFact, 'id'>;

function isOffered({ source, text }: Unnumbered): boolean {
  if (text === '' || isDamaged(text) || carriesOrders(text)) return false;
  const free = source === 'lead:headline' || source.startsWith('signal:');
  return free || !isNoField(text);
}

function numbered(letter: string, facts: readonly Unnumbered[]): readonly WritingFact[] {
  return facts.map((fact, index) => ({ id: `${letter}${index + 1}`, ...fact }));
}
