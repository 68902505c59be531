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

/** What people really write, by what it means. */
const SENTENCES: Record<string, readonly string[]> = {
  unsubscribe: [
    // Verbs that stand in front of whom they are about, or come apart.
    'Schrijf me niet meer aan, alstublieft.',
    'Benader mij alsjeblieft niet meer.',
    'Bel me niet meer op.',
    'Stuur ons niets meer.',
    'Sprechen Sie mich nicht mehr an.',
    "Arrêtez de m'envoyer des messages.",
    'Arrêtez de me contacter.',
    'No vuelva a contactarme.',
    'Retire-me da sua lista.',
    'Proszę do mnie nie pisać.',
    'Kindly refrain from contacting me.',
    'Stop\n\nJohn Smith\nCEO, Acme Inc.',
    'STOP.\r\n\r\nSent from my iPhone',
    'Hi Grace,\n\nstop\n\nBest\nJohn',
    'Please do not email me again.',
    "Don't email me",
    'Please stop reaching out.',
    'Kindly remove my email from your list.',
    'Please remove my details from your database',
    'Please delete me from your list',
    'Stop spamming me',
    'I want to opt-out',
    'I asked to be unsubscribed last week already',
    'No further emails please',
    'Please cease all contact',
    'I do not want to receive any more messages',
    'I don’t wish to be contacted',
    'Lose my number',
    'Bitte kontaktieren Sie mich nicht mehr.',
    'Bitte kontaktieren Sie mich nicht.',
    'Ich möchte nicht mehr kontaktiert werden.',
    'Bitte schreiben Sie mir nicht mehr.',
    'Bitte keine weiteren E-Mails mehr.',
    'Bitte nehmen Sie mich aus Ihrem Verteiler.',
    'Bitte streichen Sie mich von Ihrer Liste.',
    'Löschen Sie bitte alle meine Daten',
    'Ich bitte Sie, meine Daten zu löschen.',
    'Unterlassen Sie weitere Kontaktaufnahmen.',
    'Bitte sehen Sie von weiteren Nachrichten ab.',
    'Ich will nichts mehr von Ihnen hören',
    'Lasst mich bitte in Ruhe',
    'Merci de ne plus me contacter.',
    'Ne m’écrivez plus s’il vous plaît',
    'Merci de me retirer de votre liste',
    'Veuillez supprimer mes données',
    'Cessez vos messages',
    'Je ne souhaite plus être contacté',
    'Je ne souhaite plus recevoir vos messages.',
    'Laissez-moi tranquille',
    'Por favor, no me contacten más',
    'No me escriban más',
    'No me vuelva a escribir',
    'No quiero recibir más correos',
    'Elimíneme de su lista',
    'Borre mis datos',
    'Deje de escribirme por favor',
    'Non scrivetemi più',
    'Graag niet meer mailen',
    'Não me enviem mais mensagens',
    'Proszę usunąć mój adres z listy',
    'Not interested, and please do not contact me again. I am on vacation.',
  ],
  negative: [
    "We're not really interested.",
    'I would not be interested.',
    "I'm not at all interested",
    "Sorry, we aren't interested",
    'Uninterested',
    'No.\n\nJohn',
    'Nein',
    'Ich bin nicht daran interessiert.',
    'Wir sind derzeit nicht an einer Zusammenarbeit interessiert.',
    'Wir haben leider kein großes Interesse.',
    'Ich habe keinerlei Interesse',
    'Das interessiert uns nicht',
    'Danke, aber das ist nichts für uns.',
    'Je ne suis pas du tout intéressé.',
    'Nous ne sommes pas intéressés.',
    'Cela ne m’intéresse pas',
    'Ça m’intéresse pas',
    'Pas d’intérêt de notre côté',
    'No nos interesa',
    'Ya no me interesa',
    'No estoy muy interesado',
    'Non sono interessato',
    'Wij zijn hier niet in geïnteresseerd',
    'Não estamos interessados',
  ],
  positive: [
    "Don't worry, I'm interested.",
    'No problem, we are interested',
    "I don't know how yet but I'm interested",
    'Ich bin nicht nur interessiert, ich bin begeistert: gerne ein Termin',
    'Je suis intéressé',
    'Cela m’intéresse',
    'Sí, me interesa',
    'Estamos muy interesados',
  ],
};

/** Sounds like a wish to be left alone, and is none: who is taken for one is lost to the workspace for good. */
const NO_WISHES = [
  'Stuur me niet meer dan drie voorstellen.',
  'Bel me niet meer vandaag, morgen wel.',
  'Ich spreche nicht mehr von dem alten Vertrag.',
  'Please do not hesitate to call me',
  "Don't call me. Email me at ada@acme.example instead",
  'Can you stop by on Monday?',
  'I do not want to miss this',
  'Nehmen Sie gerne meine E-Mail: ada@acme.example',
  'Tragen Sie mich gern in Ihre Liste ein',
  'Ich habe keine weiteren E-Mails von Ihnen erhalten, senden Sie sie noch einmal?',
  'Schicken Sie mir keine weiteren Unterlagen, das reicht. Passt Dienstag?',
  'No me envió el enlace, ¿puede reenviarlo?',
  'No me llamo Juan, pero me interesa',
  'Je ne vous ai pas écrit plus tôt, désolé',
  'Sounds good\n\nIf you do not wish to receive our newsletter, write to our office.',
  'We do not stop\nat lunch',
  'I do not want to get into details now, but call me tomorrow.',
  "I don't want to be contacted by phone, email is fine.",
  'No further communication needed, just send the contract.',
  'We will cease contact with our old vendor and would love to talk.',
  'Bitte streichen Sie den zweiten Punkt aus Ihrer Preisliste, dann passt es.',
  'Ich möchte keine Werbung machen, aber unser Produkt hilft.',
  'Ich will keine Mails verschicken, sondern telefonieren.',
  'Je ne souhaite pas recevoir la brochure papier, mais le PDF oui.',
  'Merci de supprimer mon numéro précédent, voici le nouveau.',
  'Pouvez-vous arrêter ce vendredi un créneau ?',
  'Pas de démarchage chez nous, mais votre produit nous plaît.',
  'No me envíe el PDF, mejor una llamada.',
  'No me llame hoy, mañana sí.',
  'No quiero recibir una demo larga, solo 15 minutos.',
];

describe('reply classes', () => {
  for (const [expected, texts] of Object.entries(EXPECTED)) {
    it(`${expected}: ${texts.length} ways to say it`, () => {
      for (const text of texts) expect(classOf(text), text).to.equal(expected);
    });
  }

  for (const [expected, texts] of Object.entries(SENTENCES)) {
    it(`${expected}: ${texts.length} sentences of several languages`, () => {
      for (const text of texts) expect(classOf(text), text).to.equal(expected);
    });
  }

  it('what only sounds like a wish to be left alone bars nobody', () => {
    for (const text of NO_WISHES) expect(classOf(text), text).not.to.equal('unsubscribe');
  });

  it('who says no and that they are away has said no: nobody is written to again when they are back', () => {
    for (const text of [
      'Not interested. I am on vacation until Monday.',
      "No thanks. Also I'm on leave until 20 March",
      'We are not really interested. I am out of the office today.',
      'Kein Interesse, außerdem bin ich gerade im Urlaub.',
      'Wir sind nicht daran interessiert. Ich bin bis 20.03. im Urlaub.',
      'Non merci, je suis en congés.',
      'No nos interesa, y estoy de vacaciones',
      'We have limited access to budget, so not interested.',
    ]) {
      expect(classOf(text), text).to.equal('negative');
      expect(returnOf(text), text).to.equal(null);
    }
    expect(classOf('Ich bin sehr interessiert, bin aber bis Freitag im Urlaub.')).to.equal('positive');
    expect(classOf("I'm interested! On vacation until Monday though.")).to.equal('positive');
  });

  it('a notice of absence stays one whatever else a machine writes into it', () => {
    for (const text of [
      'I am out of the office until 2026-03-20 with limited access to email. There is no need to resend your mail.',
      "Automatic reply: I am on annual leave. Please don't expect an answer before Monday.",
      'Vielen Dank für Ihr Interesse. Ich bin bis 20.03. im Urlaub. E-Mails werden nicht weitergeleitet und gelöscht.',
      'Ich bin derzeit in Elternzeit. In dringenden Fällen wenden Sie sich an meine Kollegin.',
      'Je suis absente jusqu’au 15 mars inclus. En cas d’urgence, contactez plutôt Jean.',
      'Estaré ausente hasta el 15 de marzo. Para urgencias contacte con Ana.',
    ]) {
      expect(classOf(text), text).to.equal('out_of_office');
    }
  });

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
      'Grace Hopper <grace@agency.example> schrieb am Do., 26. Nov. 2026, 10:00:',
      'Grace Hopper <grace@agency.example> wrote on Thu, 26 Nov 2026:',
      'Grace Hopper <grace@agency.example> a écrit le 26/11/2026 :',
      'Den tors 26 nov. 2026 kl 10:00 skrev Grace <grace@agency.example>:',
      '26.11.2026, 10:00, "Grace" <grace@agency.example>:',
      '2026年11月26日(木) 10:00 Grace Hopper <grace@agency.example>:',
      'Grace Hopper <grace@agency.example> 于2026年11月26日周四 10:00写道：',
      '---------- Forwarded message ---------\nFrom: Grace Hopper',
      'Från: Grace Hopper\nSkickat: den 26 november 2026 10:00\nTill: Ada\nÄmne: Hej',
      'Fra: Grace Hopper\nSendt: 26. november 2026 10:00\nTil: Ada',
      'Od: Grace Hopper\nWysłano: czwartek, 26 listopada 2026 10:00\nDo: Ada',
      '**Von:** Grace Hopper\n**Gesendet:** Donnerstag, 26. November 2026 10:00',
    ];
    for (const header of headers) {
      const quoted = `${ours}\nNo answer, and I stop messaging you.`;
      expect(classOf(`Sounds good, call me\n\n${header}\n\n${quoted}`), header).to.equal('positive');
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
    expect(returnOf('Ich bin bis 27.03 im Urlaub')).to.equal('2026-03-27');
    expect(returnOf('Im Urlaub, ab 9.4 wieder da')).to.equal('2026-04-09');
    expect(returnOf('Out of office until 13-Mar-2026')).to.equal('2026-03-13');
    expect(returnOf('Im Urlaub bis 6. Mrz.')).to.equal('2026-03-06');
    expect(returnOf('Im Urlaub, ab 9.10 Uhr an Werktagen: 030 12')).to.equal(null);
    expect(returnOf('Out of office, back 99/99, room 4.2, open 24/7')).to.equal(null);
    expect(returnOf('I am out of the office')).to.equal(null);
  });

  it('the date on which somebody is back counts, not that of a fair in their signature', () => {
    for (const [text, day] of [
      ['Ich bin bis 13.03.2026 im Urlaub.\n\nBesuchen Sie uns: Hannover Messe, 14.09.2026, Halle 4', '2026-03-13'],
      ['I am on vacation and back on 3 April. Our summer party is on 1 August 2026!', '2026-04-03'],
      ['Je suis en congés, de retour le 16 mars. Salon de Paris : 12 octobre 2026', '2026-03-16'],
      ['Estoy de vacaciones hasta el lunes 16 de marzo. Feria: 5 de mayo de 2026', '2026-03-16'],
      ['Out of office until 5 March, back on 9 March', '2026-03-09'],
      ['Abwesend 02.03.–13.03.2026', '2026-03-13'],
    ]) {
      expect(returnOf(text ?? ''), text).to.equal(day);
    }
  });

  it('property: any text has a class and is read fast, also hostile ones', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => void classOf(text)));
    expect(classOf(`${'on '.repeat(50_000)}wrote`)).to.equal('unclassified');
  });
});
