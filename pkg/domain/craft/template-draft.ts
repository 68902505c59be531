import { variantOf } from '../text-variant.ts';
import { type CraftOrder, type Draft, hasSubject } from './craft-order.ts';
import { TEMPLATE_PHRASES, type TemplatePhrases } from './template-phrases.ts';
import type { Segment, WritingFact } from './writing-fact.ts';

/**
 * Draft of the built-in writer: a greeting, the sentences that the required facts make, one question. It states nothing but facts on
 * record; the same order gives the same draft. Null: no form fits into the length, or nothing is said about what there is.
 */
export function templateDraft(order: CraftOrder): Draft | null {
  const phrases = TEMPLATE_PHRASES[order.language];
  if (order.task.kind === 'post') return fitting(order, [postOf(order, phrases)]);
  const isComment = order.task.kind === 'first' && order.task.channel === 'comment';
  const greeting = isComment ? null : greetingFor(order, phrases);
  const told = order.facts.filter(({ source }) => source !== 'conversation:out');
  // As many facts as are asked for, and one where none is: two sentences of facts read like a dossier.
  const sentences = sentencesOf(order, told, Math.min(told.length, Math.max(1, order.requireFacts)), phrases);
  const question = questionFor(order, phrases);
  const all = [...(greeting ? [greeting] : []), ...sentences];
  return fitting(order, [question ? [...all, question] : all, all]);
}

/** The first form that fits. */
function fitting(order: CraftOrder, forms: readonly (readonly Segment[])[]): Draft | null {
  const fits = forms.find((segments) => {
    const { length } = segments.map(({ text }) => text).join(' ');
    return length > 0 && length <= order.maxLength;
  });
  return fits ? { subject: hasSubject(order) ? subjectOf(order) : null, segments: fits } : null;
}

function subjectOf({ facts, language }: CraftOrder): Segment {
  const { question, questionAbout } = TEMPLATE_PHRASES[language];
  const company = facts.find(({ source }) => source === 'lead:company');
  return company ? { text: questionAbout(company.text), factIds: [company.id] } : { text: question, factIds: [] };
}

function greetingFor({ addressee, seed }: CraftOrder, { greetings }: TemplatePhrases): Segment {
  const opener = greetings[variantOf('craft', seed)];
  return { text: addressee === '' ? `${opener},` : `${opener} ${addressee},`, factIds: [] };
}

function questionFor({ task }: CraftOrder, phrases: TemplatePhrases): Segment | null {
  if (task.kind === 'reply') return { text: phrases.intents[task.intent], factIds: [] };
  if (task.kind === 'post' || task.channel === 'comment') return null;
  return { text: task.channel === 'note' ? phrases.connect : phrases.ask, factIds: [] };
}

function sentencesOf(
  order: CraftOrder,
  told: readonly WritingFact[],
  wanted: number,
  phrases: TemplatePhrases,
): Segment[] {
  if (order.task.kind === 'reply') return [{ text: phrases.thanks, factIds: told.filter(isReply).map(({ id }) => id) }];
  const used: WritingFact[] = [];
  const sentences: Segment[] = [];
  const has = (source: string): WritingFact | undefined => told.find((fact) => fact.source === source);
  const [role, employer] = [has('lead:title'), has('lead:company')];
  for (const fact of told) {
    if (used.length >= wanted) break;
    if (used.includes(fact)) continue;
    if (fact === role && employer && !used.includes(employer)) {
      used.push(role, employer);
      sentences.push({ text: phrases.roleAt(role.text, employer.text), factIds: [role.id, employer.id] });
      continue;
    }
    used.push(fact);
    sentences.push({ text: sentenceOf(fact, phrases), factIds: [fact.id] });
  }
  return sentences;
}

function isReply({ source }: WritingFact): boolean {
  return source === 'conversation:in';
}

function sentenceOf({ source, text }: WritingFact, phrases: TemplatePhrases): string {
  const plain = text.replace(/[.!?\s]+$/, '');
  if (source.startsWith('signal:')) return phrases.news(plain);
  switch (source) {
    case 'lead:title':
      return phrases.role(plain);
    case 'lead:company':
      return phrases.company(plain);
    case 'lead:headline':
      return phrases.headline(plain.replaceAll('"', "'"));
    case 'lead:industry':
      return phrases.industry(plain);
    case 'post:text':
      return phrases.post(plain.replaceAll('"', "'"));
    default:
      return phrases.place(plain);
  }
}

/** A post in the words of the caller: nothing is added to them. */
function postOf({ facts }: CraftOrder, { readers }: TemplatePhrases): Segment[] {
  const topic = facts.find(({ source }) => source === 'caller:topic');
  if (!topic) return [];
  return [
    { text: /[.!?]$/.test(topic.text) ? topic.text : `${topic.text}.`, factIds: [topic.id] },
    { text: readers, factIds: [] },
  ];
}
