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

  it('nor as Outlook and others quote it, without a mark at its lines', () => {
    const ours = 'Hello Ada, are you interested?\n\n-- \nAcme, 1 Road\nUnsubscribe: https://in.example/u/abc';
    const headers = [
      'From: Grace Hopper <grace@agency.example>\nSent: Thursday, November 26, 2026 10:00 AM\nTo: Ada\nSubject: Hello',
      '________________________________\nFrom: Grace Hopper <grace@agency.example>\nDate: Thursday, 26 November 2026\nTo: Ada',
      '*From:* Grace Hopper <grace@agency.example>\n*Sent:* Thursday, November 26, 2026 10:00 AM\n*To:* Ada',
      'Von: Grace Hopper <grace@agency.example>\nGesendet: Donnerstag, 26. November 2026 10:00\nAn: Ada\nBetreff: Hallo',
      'De : Grace Hopper <grace@agency.example>\nEnvoyé : jeudi 26 novembre 2026 10:00\nÀ : Ada\nObjet : Bonjour',
      'De: Grace Hopper <grace@agency.example>\nEnviado el: jueves, 26 de noviembre de 2026 10:00\nPara: Ada',
      'Da: Grace Hopper <grace@agency.example>\nInviato: giovedì 26 novembre 2026 10:00\nA: Ada\nOggetto: Ciao',
      'Van: Grace Hopper <grace@agency.example>\nVerzonden: donderdag 26 november 2026 10:00\nAan: Ada',
      '-----Ursprüngliche Nachricht-----\nVon: Grace Hopper',
      'Le jeu. 26 nov. 2026 à 10:00, Grace Hopper <grace@agency.example> a écrit :',
      'On Thu, Nov 26, 2026 at 10:00 AM Grace Hopper\n<grace.hopper@agency.example> wrote:',
      'Op do 26 nov 2026 om 10:00 schreef Grace Hopper <grace@agency.example>:',
    ];
    for (const header of headers) {
      expect(classOf(`Sounds good, call me\n\n${header}\n\n${ours}`), header).to.equal('positive');
      expect(classOf(`Please remove me\n\n${header}\n\n${ours}`), header).to.equal('unsubscribe');
      expect(classOf(`No thanks\n\n${header}\n\n${ours}`), header).to.equal('negative');
    }
    expect(classOf(`Sounds good\n\n${ours}`), 'a quote that nothing marks').to.equal('positive');
    expect(classOf('From: now on\nplease unsubscribe me')).to.equal('unsubscribe');
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
