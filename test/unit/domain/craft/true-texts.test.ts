import { expect } from 'chai';
import { NEVER } from '../../../../pkg/base/clock.ts';
import { checkClaims } from '../../../../pkg/domain/craft/check-claims.ts';
import { factsAbout } from '../../../../pkg/domain/craft/offer-facts.ts';
import { TEMPLATE_PHRASES } from '../../../../pkg/domain/craft/template-phrases.ts';
import { WRITING_LANGUAGES } from '../../../../pkg/domain/craft/words/language-words.ts';
import { templateWriter } from '../../../../pkg/providers/ai/template-writer.ts';
import { PLAYBOOK, WORLD_NOW } from '../../../fixtures/writing/closed-world.ts';
import { orderFor } from '../../../fixtures/writing/order.ts';

const TITLES = [
  'Head of Sales',
  'Chief Technology Officer',
  'Geschäftsführer',
  'Directrice des achats',
  'Jefa de ventas',
];
const COMPANIES = ['Nordlicht Energie GmbH', 'Blue Harbor', 'Łódź Metal', "L'Atelier & Co", '3Dots'];
const PLACES = ['São Paulo', 'Köln', 'Oslo'];

/** Sentences that people write of a role, an employer and a place, each true by its facts. */
const FORMS = {
  en: (title: string, company: string, place: string) => [
    `I came across ${company} and your role as ${title}.`,
    `As ${title} at ${company} you hear a lot of pitches, so I will be short.`,
    `How does ${company} look at this today?`,
    `I also work with people in ${place}, and I am curious how ${company} does it.`,
  ],
  de: (title: string, company: string, place: string) => [
    `Ich bin auf ${company} gestoßen und habe Ihre Rolle als ${title} gesehen.`,
    `Als ${title} bei ${company} lesen Sie viele Nachrichten, daher schreibe ich kurz.`,
    `Ich arbeite auch mit Menschen in ${place}.`,
  ],
  fr: (title: string, company: string, place: string) => [
    `J'ai vu que vous êtes ${title} chez ${company}.`,
    `Je travaille aussi avec des personnes à ${place}.`,
    `Je suis curieux de savoir comment ${company} fait.`,
  ],
  es: (title: string, company: string, place: string) => [
    `Vi que usted es ${title} en ${company}.`,
    `También trabajo con personas de ${place}.`,
    `Me gustaría saber cómo lo hace ${company}.`,
  ],
};

function* trueTexts() {
  for (const language of WRITING_LANGUAGES) {
    for (const [at, title] of [...TITLES, ...TITLES, ...TITLES].entries()) {
      for (const company of COMPANIES) {
        const location = PLACES[Math.floor(at / TITLES.length)] ?? '';
        const facts = factsAbout({ title, company, headline: '', industry: '', location }, []);
        for (const text of FORMS[language](title, company, location)) yield { language, facts, text };
      }
    }
  }
}

describe('true texts that cite what they say', () => {
  it('at least 95 % of them pass: refusing everything is no checker', () => {
    const texts = [...trueTexts()];
    const refused = texts.flatMap(({ language, facts, text }) => {
      const own = { text: PLAYBOOK[language], addressee: ['Ada'], sender: ['Sam'] };
      const judging = { language, facts, own, mode: 'person' as const, now: WORLD_NOW };
      const found = checkClaims([{ text, factIds: facts.map(({ id }) => id) }], judging);
      return found.length === 0 ? [] : [`${text} -- ${found.map((one) => one.text).join(', ')}`];
    });
    const all = texts.length;
    expect(all).to.be.at.least(300);
    expect(refused.length / all, refused.slice(0, 10).join('\n')).to.be.at.most(0.05);
  });

  for (const name of ['ada', 'ben', 'chi', 'dora', 'emil', 'fanny', 'gael', 'hugo', 'ines']) {
    it(`every text of the built-in writer passes: ${name}, however many facts it has to state`, async () => {
      for (let requireFacts = 0; requireFacts <= 5; requireFacts++) {
        const order = orderFor(name, { requireFacts });
        const result = await templateWriter.craft(order, NEVER);
        const few = order.facts.length < requireFacts;
        expect(result.kind, JSON.stringify(result)).to.equal(few ? 'no_facts' : 'written');
      }
    });
  }

  it('the built-in writer says the same in each language, and its answers to replies pass', async () => {
    for (const language of WRITING_LANGUAGES) {
      for (const intent of Object.keys(TEMPLATE_PHRASES[language].intents) as 'answer'[]) {
        const facts = orderFor('kim').facts;
        const task = { kind: 'reply', channel: 'message', intent } as const;
        const result = await templateWriter.craft(orderFor('kim', { language, facts, task, requireFacts: 0 }), NEVER);
        expect(result.kind, JSON.stringify([language, intent, result])).to.equal('written');
      }
    }
  });
});
