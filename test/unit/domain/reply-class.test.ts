import { expect } from 'chai';
import fc from 'fast-check';
import { classifyReply } from '../../../pkg/domain/reply-class.ts';

const NOW = Date.parse('2026-03-02T10:00:00Z');
const classOf = (text: string) => classifyReply(text, NOW).replyClass;
const returnOf = (text: string) => {
  const at = classifyReply(text, NOW).returnAt;
  return at === null ? null : new Date(at).toISOString().slice(0, 10);
};

const EXPECTED: Record<string, readonly string[]> = {
  unsubscribe: [
    'STOP',
    'stop!!',
    'Please stop messaging me.',
    'Sounds good, but unsubscribe me',
    'Bitte nicht mehr kontaktieren',
    'Désinscrivez-moi svp',
    'No me escriba más',
    'Don’t contact me again',
    'Wypisz mnie',
  ],
  out_of_office: [
    'I am out of the office',
    'Ich bin im Urlaub',
    'Réponse automatique: absent',
    'Estoy de vacaciones',
    'Sono in ferie',
  ],
  referral: [
    'You should talk to my colleague Ann',
    'Bitte wenden Sie sich an Frau Krause',
    'I am not the right person',
  ],
  negative: [
    'Not interested, thanks',
    'Kein Interesse',
    'Non merci',
    'No gracias',
    'We already have a vendor',
    'Nie, dziękuję',
  ],
  neutral: ['Who is this?', 'Thanks', 'Not now, interested next year'],
  positive: [
    'Yes, tell me more',
    'Klingt gut, gerne',
    'Sure!',
    "I'd be happy to chat",
    'Avec plaisir',
    'Oui',
    'Me interesa',
  ],
  unclassified: ['asdf', '', '👍', 'The weather is fine', 'I will stop by the booth'],
};

describe('reply classes', () => {
  for (const [expected, texts] of Object.entries(EXPECTED)) {
    it(`${expected}: ${texts.length} ways to say it`, () => {
      for (const text of texts) expect(classOf(text), text).to.equal(expected);
    });
  }

  it('our own quoted text does not classify the answer', () => {
    expect(classOf('Sure, call me\n\nOn Mon, 2 Mar 2026 Grace wrote:\n> Reply STOP to unsubscribe')).to.equal(
      'positive',
    );
    expect(classOf('> not interested?\nSounds good')).to.equal('positive');
  });

  it('finds the return date in the languages that people use', () => {
    expect(returnOf('Out of office until 2026-03-20')).to.equal('2026-03-20');
    expect(returnOf('Ich bin bis 20.03. im Urlaub')).to.equal('2026-03-20');
    expect(returnOf('Out of office from March 3rd, back on March 23rd, 2026')).to.equal('2026-03-23');
    expect(returnOf('En congés jusqu’au 23 mars')).to.equal('2026-03-23');
    expect(returnOf('De vacaciones hasta el 5 de abril de 2026')).to.equal('2026-04-05');
    expect(returnOf('Im Urlaub bis 3. Januar')).to.equal('2027-01-03');
    expect(returnOf('Out of office, back 99/99, room 4.2, open 24/7')).to.equal(null);
    expect(returnOf('I am out of the office')).to.equal(null);
  });

  it('property: any text has a class and is read fast, also hostile ones', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => void classOf(text)));
    expect(classOf(`${'on '.repeat(50_000)}wrote`)).to.equal('unclassified');
  });
});
