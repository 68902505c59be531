import { isDamaged } from './damaged-text.ts';
import { familyName, greetingName } from './greeting-name.ts';
import { ownFormOf } from './own-form.ts';
import { nameParts } from './person-name.ts';
import { said } from './said.ts';

/**
 * Templates of messages and notes: `{{lead:firstName}}`, `{{lead:company|your team}}`, `{{lead:customFields.size}}`,
 * `{{sender:firstName}}`, `{{sender:fullName}}`, `{{signal:title}}`, `{{craft:<label>}}` (text of the ai:craft node with
 * that label), `{{slots}}` (of calendar:propose_slots). A field without value and without fallback is *missing*: nothing is
 * sent with a gap in it. Source: catalog `placeholders`.
 */

export const LEAD_FIELDS = [
  'firstName',
  'lastName',
  'fullName',
  'title',
  'headline',
  'company',
  'industry',
  'seniority',
  'location',
  'country',
  'email',
] as const;

/** A placeholder or the text between two of them. */
export type TemplatePart =
  | { kind: 'text'; text: string }
  | { kind: 'field'; source: TemplateSource; name: string; fallback: string | null };
export type TemplateSource = 'lead' | 'sender' | 'signal' | 'craft' | 'slots';

export interface ParsedTemplate {
  parts: readonly TemplatePart[];
  /** What is wrong with it, for people; empty when it can be used. */
  problems: readonly string[];
}

/** The lead's known values; empty or null is unknown. A node's lead facts fit as they are. */
export interface TemplateLead {
  firstName: string;
  lastName: string;
  fullName: string;
  title: string;
  headline: string;
  company: string;
  industry: string;
  seniority: string;
  location: string;
  country: string;
  email: string | null;
  customFields: Readonly<Record<string, string>>;
}

/** What a template may use; whatever is unknown is an empty string. */
export interface TemplateFacts {
  lead: TemplateLead;
  sender: { firstName: string; fullName: string };
  signal: { title: string };
  /** Crafted texts by the label of their node; absent reads as none. */
  crafted?: Readonly<Record<string, string>> | undefined;
  /** Proposed times as one text; absent reads as none. */
  slots?: string | undefined;
}

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const CUSTOM_FIELD = /^customFields\.[A-Za-z0-9_][A-Za-z0-9_ -]{0,63}$/;
const SOURCES: Record<string, (name: string) => boolean> = {
  lead: (name) => (LEAD_FIELDS as readonly string[]).includes(name) || CUSTOM_FIELD.test(name),
  sender: (name) => name === 'firstName' || name === 'fullName',
  signal: (name) => name === 'title',
  craft: (name) => name.length > 0 && name.length <= 120,
  slots: (name) => name === '',
};
const KNOWN = `{{lead:<${LEAD_FIELDS.join('|')}|customFields.<name>>}}, {{sender:firstName}}, {{sender:fullName}}, {{signal:title}}, {{craft:<label of an ai:craft node>}}, {{slots}}`;

function parsePlaceholder(inner: string): TemplatePart | string {
  const bar = inner.indexOf('|');
  const path = (bar < 0 ? inner : inner.slice(0, bar)).trim();
  const fallback = bar < 0 ? null : inner.slice(bar + 1).trim();
  const colon = path.indexOf(':');
  const source = colon < 0 ? path : path.slice(0, colon);
  const name = colon < 0 ? '' : path.slice(colon + 1);
  if (source === 'unsubscribe_url') {
    return `placeholder {{${path}}} belongs into the text of mail:send; use ${KNOWN}`;
  }
  if (!Object.hasOwn(SOURCES, source) || !SOURCES[source]?.(name)) {
    const own = ownFormOf(path) ?? ownFormOf(path.split(/[ ?,(]/)[0] ?? '');
    return `unknown placeholder {{${path}}}; ${own ? `write ${own}; ` : ''}known are ${KNOWN}`;
  }
  if (fallback === '') return `placeholder {{${inner}}} has an empty fallback; leave out the bar or give a text`;
  return { kind: 'field', source: source as TemplateSource, name, fallback };
}

/** Splits a template; unknown placeholders and stray braces are problems, found when the graph is compiled. */
export function parseTemplate(text: string): ParsedTemplate {
  const parts: TemplatePart[] = [];
  const problems: string[] = [];
  let from = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    if (match.index > from) parts.push({ kind: 'text', text: text.slice(from, match.index) });
    from = match.index + match[0].length;
    const parsed = parsePlaceholder(match[1] ?? '');
    if (typeof parsed === 'string') problems.push(parsed);
    else parts.push(parsed);
  }
  if (from < text.length) parts.push({ kind: 'text', text: text.slice(from) });
  const stray = parts.some((part) => part.kind === 'text' && (part.text.includes('{{') || part.text.includes('}}')));
  if (stray) problems.push(`a placeholder is not closed or nested; write ${KNOWN}`);
  return { parts, problems };
}

function fieldValue(part: TemplatePart & { kind: 'field' }, facts: TemplateFacts): string {
  if (part.source === 'sender') return part.name === 'firstName' ? facts.sender.firstName : facts.sender.fullName;
  if (part.source === 'signal') return facts.signal.title;
  if (part.source === 'slots') return facts.slots ?? '';
  if (part.source === 'craft') {
    return facts.crafted && Object.hasOwn(facts.crafted, part.name) ? (facts.crafted[part.name] ?? '') : '';
  }
  if (part.name.startsWith('customFields.')) {
    const name = part.name.slice('customFields.'.length);
    return Object.hasOwn(facts.lead.customFields, name) ? (facts.lead.customFields[name] ?? '') : '';
  }
  return leadValue(part.name as (typeof LEAD_FIELDS)[number], facts.lead);
}

/** Names as their bearers are greeted; a text whose letters were lost says nothing, so that nobody is sent it. */
function leadValue(name: (typeof LEAD_FIELDS)[number], lead: TemplateLead): string {
  if (name === 'firstName') return greetingName(lead.firstName);
  if (name === 'lastName') return familyName(lead.lastName);
  const value = lead[name] ?? '';
  return isDamaged(value) ? '' : value;
}

/** The text, or the placeholders without value. A value is put in as it is: it is never read as a template again. */
export function renderTemplate(
  parts: readonly TemplatePart[],
  facts: TemplateFacts,
): { text: string } | { missing: readonly string[] } {
  const missing: string[] = [];
  let text = '';
  for (const part of parts) {
    if (part.kind === 'text') {
      text += part.text;
      continue;
    }
    const value = said(fieldValue(part, facts)) || part.fallback;
    if (value === null) missing.push(part.name === '' ? part.source : `${part.source}:${part.name}`);
    else text += value;
  }
  return missing.length > 0 ? { missing: [...new Set(missing)] } : { text };
}

/** Labels of the ai:craft nodes whose texts the template takes. */
export function craftLabels(parts: readonly TemplatePart[]): readonly string[] {
  return parts.flatMap((part) => (part.kind === 'field' && part.source === 'craft' ? [part.name] : []));
}

/** Length of the text that is there whatever the lead is: a lower bound, good for warnings at compile time. */
export function literalLength(parts: readonly TemplatePart[]): number {
  return parts.reduce((sum, part) => sum + (part.kind === 'text' ? part.text.length : 0), 0);
}

/** First name and full name from an account's display name. */
export function senderOf(displayName: string): { firstName: string; fullName: string } {
  const fullName = displayName.trim();
  return { firstName: nameParts(fullName).firstName || fullName, fullName };
}
