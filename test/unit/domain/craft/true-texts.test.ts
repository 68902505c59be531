import { expect } from 'chai';
import { NEVER } from '../../../../pkg/base/clock.ts';
import { calledName } from '../../../../pkg/domain/craft/called-names.ts';
import { checkClaims } from '../../../../pkg/domain/craft/check-claims.ts';
import type { CraftOrder } from '../../../../pkg/domain/craft/craft-order.ts';
import { factsAbout } from '../../../../pkg/domain/craft/offer-facts.ts';
import { TEMPLATE_PHRASES } from '../../../../pkg/domain/craft/template-phrases.ts';
import { WRITING_LANGUAGES } from '../../../../pkg/domain/craft/words/language-words.ts';
import { templateWriter } from '../../../../pkg/providers/ai/template-writer.ts';
import { PLAYBOOK, WORLD_NOW } from '../../../fixtures/writing/closed-world.ts';
import { orderFor, personOf } from '../../../fixtures/writing/order.ts';
import { TRUE_TEXTS } from '../../../fixtures/writing/true-texts.ts';

const TITLES = [
  'Head of Sales',
  'Chief Technology Officer',
  'Geschäftsführer',
  'Directrice des achats',
  'Jefa de ventas',
];
const COMPANIES = ['Nordlicht Energie GmbH', 'Blue Harbor', 'Łódź Metal', "L'Atelier & Co", '3Dots'];
/** People of the closed world of whom the built-in writer writes. */
const NAMES = ['ada', 'ben', 'chi', 'dora', 'emil', 'fanny', 'gael', 'hugo', 'ines'];
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

  it('at least 95 % of the texts that a person wrote without a template pass', () => {
    const refused = TRUE_TEXTS.flatMap(({ line, person, segments }) => {
      const { language, facts, playbook, firstName } = personOf(person);
      const own = { text: playbook, addressee: [firstName], sender: ['Sam', 'Sam Fox'] };
      const found = checkClaims(segments, { language, facts, own, mode: 'person', now: WORLD_NOW });
      return found.length === 0 ? [] : [`${line} -- ${found.map((one) => one.text).join(', ')}`];
    });
    expect(TRUE_TEXTS.length).to.be.at.least(100);
    expect(refused.length / TRUE_TEXTS.length, refused.join('\n')).to.be.at.most(0.05);
  });

  for (const name of NAMES) {
    it(`every text of the built-in writer passes: ${name}, however many facts it has to state`, async () => {
      for (let requireFacts = 0; requireFacts <= 5; requireFacts++) {
        const order = orderFor(name, { requireFacts });
        const result = await templateWriter.craft(order, NEVER);
        const few = order.facts.length < requireFacts;
        expect(result.kind, JSON.stringify(result)).to.equal(few ? 'no_facts' : 'written');
      }
    });
  }

  const PERSON = { title: 'CTO', company: 'Acme', headline: '', industry: 'Logistics', location: '' };
  const written = async (name: string, more: Partial<CraftOrder>): Promise<string | null> => {
    const result = await templateWriter.craft(orderFor(name, more), NEVER);
    return result.kind === 'written' ? result.text.text : null;
  };

  it('the built-in writer gives the same text for the same input', async () => {
    for (const seed of ['run/node', 'another']) {
      const order = orderFor('ada', { facts: factsAbout(PERSON, []), seed });
      const first = await templateWriter.craft(order, NEVER);
      expect(first.kind).to.equal('written');
      expect(await templateWriter.craft(structuredClone(order), NEVER)).to.deep.equal(first);
    }
  });

  it('texts of the built-in writer are left shorter or not written where they do not fit, never cut', async () => {
    const facts = factsAbout(PERSON, []);
    const short = await written('ada', { facts, maxLength: 60 });
    expect(short).to.match(/^(Hi|Hello) Ada, .*CTO at Acme\.$/);
    expect(short?.length).to.be.at.most(60);
    expect(await written('ada', { facts, maxLength: 20 })).to.equal(null);
    for (const name of NAMES) {
      const whole = (await written(name, {})) ?? '';
      for (let maxLength = 1; maxLength < whole.length; maxLength++) {
        const text = await written(name, { maxLength });
        if (text === null) continue;
        expect(text.length, text).to.be.at.most(maxLength);
        expect(text, 'a sentence is left out whole').to.match(/[.!?]["“”»]?$/);
        expect(whole.startsWith(`${text} `), text).to.equal(true);
      }
      expect(await written(name, { maxLength: 20 }), name).to.equal(null);
    }
  });

  for (const nothing of ['', '  ', '-', '—', ' . ', '?', '(*)', '\u200b', '\u00ad \u2060', '\ufeff']) {
    it(`a first name that says nothing (${JSON.stringify(nothing)}) greets nobody by it: nobody reads "Hi -,"`, async () => {
      const facts = factsAbout({ ...PERSON, title: nothing, industry: nothing }, []);
      const text = await written('ada', { facts, addressee: calledName(nothing) });
      expect(text).to.match(/^(Hi|Hello), I follow what Acme does\./);
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
