import { said } from './said.ts';
import type { TemplateFacts } from './template.ts';
import { variantOf } from './text-variant.ts';

/** One thing that a written text used; `source` names the field it came from. Catalog `ReviewItem.facts`. */
export interface UsedFact {
  text: string;
  source: string;
}

export interface WrittenText {
  text: string;
  facts: readonly UsedFact[];
}

const OPENERS = ['Hi', 'Hello'] as const;
const LINES_WITH_COMPANY = [
  (title: string, company: string) => `I came across your work as ${title} at ${company}.`,
  (title: string, company: string) => `Your role as ${title} at ${company} caught my eye.`,
] as const;

const ASKS = {
  note: 'I would like to connect.',
  message: 'Would you be open to a short exchange about it? A no is fine too.',
  inmail: 'Would you be open to a short exchange about it? A no is fine too.',
  comment: 'Thanks for sharing this.',
  mail: 'Would you be open to a short exchange about it? A no is fine too.',
};

function sentenceAbout(facts: TemplateFacts, pick: 0 | 1, used: UsedFact[]): string {
  const [title, company, headline, industry] = [
    said(facts.lead.title),
    said(facts.lead.company),
    said(facts.lead.headline),
    said(facts.lead.industry),
  ];
  const news = said(facts.signal.title);
  const use = (text: string, source: string) => used.push({ text, source });
  if (news) {
    use(news, 'signal:title');
    return `I saw the news: ${news.replace(/[.!?\s]+$/, '')}.`;
  }
  if (title && company) {
    use(title, 'lead:title');
    use(company, 'lead:company');
    return LINES_WITH_COMPANY[pick](title, company);
  }
  if (company) {
    use(company, 'lead:company');
    return `I follow what ${company} does.`;
  }
  if (headline) {
    use(headline, 'lead:headline');
    return `Your headline "${headline}" caught my eye.`;
  }
  if (industry) {
    use(industry, 'lead:industry');
    return `I work with people in ${industry}.`;
  }
  return '';
}

/**
 * The built-in writer behind text mode `ai`: no model, no network, nothing but facts that are known; the same input
 * gives the same text. Without any fact about the person beyond a name it writes nothing (missing), because a text
 * that fits everybody is what a static template is for. `maxLength` in characters; sentences are left out, never cut.
 */
export function writeFromFacts(
  channel: 'note' | 'message' | 'inmail' | 'comment' | 'mail',
  facts: TemplateFacts,
  maxLength: number,
  seed: string,
): WrittenText | { missing: readonly string[] } {
  const used: UsedFact[] = [
    { text: 'written by the built-in template writer from known facts only', source: 'writer' },
  ];
  const pick = variantOf('writer', seed);
  const about = sentenceAbout(facts, pick, used);
  const firstName = said(facts.lead.firstName);
  if (!firstName) return { missing: ['lead:firstName'] };
  if (about === '') return { missing: ['lead:company', 'lead:title'] };
  used.push({ text: firstName, source: 'lead:firstName' });
  const greeting = `${OPENERS[pick]} ${firstName},`;
  const ask = ASKS[channel];
  const thanks = channel === 'message' ? 'Thanks for connecting.' : '';
  const closing = channel === 'note' || channel === 'comment' || !facts.sender.firstName ? '' : facts.sender.firstName;
  const full = [greeting, thanks, about, ask, closing].filter((part) => part !== '').join(' ');
  if (full.length <= maxLength) return { text: full, facts: used };
  const short = `${greeting} ${ask}`;
  return short.length <= maxLength ? { text: short, facts: used } : { missing: ['lead:firstName'] };
}
