import { expect } from 'chai';
import fc from 'fast-check';
import { editDistance } from '../../../pkg/domain/edit-distance.ts';
import { classifyReply } from '../../../pkg/domain/reply-class.ts';

const classOf = (text: string): string => classifyReply(text, 0).replyClass;

/** Commands and nouns alone, by language. */
const COMMANDS = [
  'Remove',
  'BAJA',
  'Bitte abbestellen.',
  'Abmeldung',
  'Kündigung',
  'Lösch mich',
  'Nehmt mich raus',
  'désinscription svp',
  'Retirez-moi',
  'Cancelar suscripción',
  'Sáquenme de la lista',
  'Cancellatemi dalla lista',
  'Toglietemi dalla lista',
  'Uitschrijven aub',
  'Verwijder mij',
  'Remover por favor',
  'Proszę o usunięcie moich danych',
  'Wypisz mnie',
  'hej, avregistrera mig tack',
  'Odhlaste mě',
  'leiratkozás',
  'Отпишите меня',
  'Удалите мои данные',
  'Не пишите мне больше',
  '退订',
  '配信停止希望',
  '수신거부',
  'opt-out',
  'Please take me off',
];
const COURTESY = [
  'Stop. Thank you',
  'Stop - merci',
  'Stop!!! Thanks, John',
  'Hi Sally,\n\nPlease remove.\n\nThanks,\nJohn',
  'Kein Interesse, bitte löschen',
  'Not interested. Remove.',
  'I am not interested, stop.',
  'unsubscribe pls, cheers',
  'Abmelden bitte. Danke',
];
const LEGAL = [
  'I object to the processing of my personal data under Art. 21 GDPR.',
  'Please erase my data (Art. 17 GDPR)',
  'I invoke my right to be forgotten',
  'Do not sell my personal information.',
  'This violates CAN-SPAM',
  'Cease and desist.',
  'Reported as spam.',
  'Hiermit widerspreche ich der Verarbeitung meiner Daten.',
  'Widerspruch nach Art. 21 DSGVO',
  'Je m’oppose au traitement de mes données',
  'Me opongo al tratamiento de mis datos (art. 21 RGPD)',
  'Chiedo la cancellazione dei miei dati',
  'Ik maak bezwaar',
  'Oponho-me ao tratamento dos meus dados',
  'Wnoszę sprzeciw wobec przetwarzania danych',
];
/** Nearly the same words, and no wish: a person who is taken for one is lost to the workspace for good. */
const NO_WISHES = [
  'Anmelden bitte',
  'Wir sprechen',
  'I would like to subscribe',
  'Step',
  'Remote',
  'The bus stop. Thanks',
  'I will stop by the booth',
  'Could you remove the second line of the offer?',
  'Please do not delete my data, we are interested',
  'Please remove the attachment and send again',
  'Delete the second slot, the first works for me',
  'We have no objection to the processing of our data, go ahead',
  'Is your tool GDPR compliant?',
  'Basta con una llamada, me interesa',
  'Sounds good.\nAda\nUsted puede ejercer sus derechos de supresión (art. 17 RGPD) escribiendo a legal@acme.example',
  'Klingt gut.\nSie haben das Recht auf Löschung Ihrer Daten (Art. 17 DSGVO).',
  'Ok please',
];

describe('a wish to get no more', () => {
  for (const [what, texts] of [
    ['is a command or a noun alone, in whatever language', COMMANDS],
    ['stays one with courtesy and reasons beside it', COURTESY],
    ['is told in the words of the law', LEGAL],
  ] as const) {
    it(what, () => {
      for (const text of texts) expect(classOf(text), text).to.equal('unsubscribe');
    });
  }

  it('is none where the words only look alike, or a company tells its own readers of their rights', () => {
    for (const text of NO_WISHES) expect(classOf(text), text).to.not.equal('unsubscribe');
  });

  it('is understood with a slip of the hand', () => {
    for (const text of [
      'sotp',
      'stpo',
      'stopp',
      'remvoe',
      'unsubcribe',
      'UNSUSCRIBE',
      'unsubscirbe me please',
      'abmleden',
    ])
      expect(classOf(text), text).to.equal('unsubscribe');
    const word = fc.constantFrom(
      'unsubscribe',
      'abbestellen',
      'désabonner',
      'uitschrijven',
      'descadastrar',
      'disiscrivere',
    );
    const swapped = word.chain((one) =>
      fc
        .integer({ min: 1, max: one.length - 2 })
        .map((at) => one.slice(0, at) + one[at + 1] + one[at] + one.slice(at + 2)),
    );
    const dropped = word.chain((one) =>
      fc.integer({ min: 1, max: one.length - 1 }).map((at) => one.slice(0, at) + one.slice(at + 1)),
    );
    const beside = fc.constantFrom('', 'please ', 'Hi Sally,\n', 'bitte ');
    fc.assert(
      fc.property(beside, fc.oneof(swapped, dropped), (courtesy, typo) => {
        expect(classOf(`${courtesy}${typo}`), typo).to.equal('unsubscribe');
      }),
    );
  });

  it('is looked for at a linear cost', () => {
    for (const part of [
      'stop ',
      'remove me ',
      'i object to the ',
      'art. 21 ',
      'unsubscrib ',
      'delete x ',
      'ab, ',
      'a',
      'opt ',
    ])
      classOf(part.repeat(20_000 / part.length));
  });
});

describe('the distance of two words', () => {
  it('counts letters that are more, less, others, or changed places', () => {
    expect(editDistance('stop', 'sotp', 2)).to.equal(1);
    expect(editDistance('unsubscribe', 'unsuscrib', 2)).to.equal(2);
    expect(editDistance('stop', 'stop', 1)).to.equal(0);
    expect(editDistance('stop', 'unsubscribe', 2)).to.equal(3);
  });
});
