import { expect } from 'chai';
import { humanReplies, replyIn } from '../../../pkg/engine/mail/match-inbox.ts';
import { parseIncoming } from '../../../pkg/providers/mail/parse-incoming.ts';

const OURS = '<outrider.01890000-0000-7000-8000-000000000001@agency.example>';
const RECEIVED = Date.parse('2026-11-26T10:00:00Z');

/** Mails as programs of the world write them. */
async function read(lines: readonly string[], charset: BufferEncoding = 'utf8') {
  const mail = await parseIncoming(1, Buffer.from(lines.join('\r\n'), charset), RECEIVED);
  const [counted] = humanReplies([{ mail, sendId: '', personId: '', named: true, writers: [], sent: [] }]);
  return { ...mail, said: mail.report ? null : replyIn(mail).replyClass, counts: counted !== undefined };
}
const from = (subject: string, ...more: string[]): string[] => [
  'From: Ada Lovelace <ada@acme.example>',
  'To: grace@agency.example',
  `Subject: ${subject}`,
  'Message-ID: <1@acme.example>',
  `In-Reply-To: ${OURS}`,
  'MIME-Version: 1.0',
  ...more,
];
const plain = (...text: string[]): string[] => ['Content-Type: text/plain; charset=utf-8', '', ...text];

describe('mails as the world writes them', () => {
  describe('answers that a calendar sends for a person', () => {
    const calendar = (method: string): string[] => [
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: multipart/alternative; boundary=c',
      '',
      '--c',
      'Content-Type: text/plain; charset="UTF-8"; format=flowed; delsp=yes',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(
        'Intro call\nThursday Dec 3, 2026 10am – 10:30am\nJoin with Google Meet\nReply for grace@agency.example',
      ).toString('base64'),
      '--c',
      `Content-Type: text/calendar; charset="UTF-8"; method=${method}`,
      'Content-Transfer-Encoding: 7bit',
      '',
      'BEGIN:VCALENDAR',
      `METHOD:${method}`,
      'END:VCALENDAR',
      '--c--',
      '--b--',
    ];

    for (const method of ['REQUEST', 'REPLY']) {
      it(`${method} by Google, which marks it as made by a machine, counts as the person's`, async () => {
        const head = from(
          'Invitation: Intro call',
          'Sender: Google Calendar <calendar-notification@google.com>',
          'Auto-Submitted: auto-generated',
        );
        expect(await read([...head, ...calendar(method)])).to.include({ counts: true, automatic: false });
      });
    }

    it('a feed that a machine sends does not', async () => {
      const head = from('Holidays', 'Auto-Submitted: auto-generated');
      expect(await read([...head, ...calendar('PUBLISH')])).to.include({ counts: false });
    });
  });

  describe('notices of absence', () => {
    const notices: [subject: string, text: string][] = [
      [
        'Automatic reply: About you',
        'Thank you for your message. I am currently out of the office and will be back on 3 December.',
      ],
      [
        'Automatische Antwort: About you',
        'Vielen Dank für Ihre Nachricht. Ich bin ab dem 3. Dezember wieder erreichbar. Ihre Mail wird nicht weitergeleitet.',
      ],
      [
        'Réponse automatique : About you',
        'Bonjour, je serai de retour le 3 décembre. En cas d’urgence, contactez plutôt ma collègue Anne.',
      ],
      [
        'Respuesta automática: About you',
        'Gracias por su correo. Vuelvo el 3 de diciembre. Para temas urgentes, contacte con mi compañero Luis.',
      ],
      [
        'Risposta automatica: About you',
        'Grazie per il messaggio. Rientro il 3 dicembre. Per urgenze si rivolga al mio collega Marco.',
      ],
      [
        'Automatisch antwoord: About you',
        'Bedankt voor uw bericht. Ik ben terug op 3 december. Neem bij spoed contact op met mijn collega Jan.',
      ],
      ['Abwesenheitsnotiz: About you', 'Ich bin bis 2. Dezember nicht da.'],
      ['Out of Office: About you', 'Back on 3 December.'],
    ];
    for (const [subject, text] of notices) {
      it(`are known as such: ${subject}`, async () => {
        const mail = await read([
          ...from(subject, 'Auto-Submitted: auto-generated', 'X-Auto-Response-Suppress: All'),
          ...plain(text),
        ]);
        expect(mail).to.include({ said: 'out_of_office', counts: true });
        const { returnAt } = replyIn(mail);
        expect(returnAt && new Date(returnAt).toISOString().slice(5, 10)).to.be.oneOf(['12-02', '12-03']);
      });
    }
  });

  it('a notice of absence stays one with a line about the newsletter below it', async () => {
    const text = plain(
      'Ich bin bis 3. Dezember im Urlaub.',
      '',
      'Unser Newsletter: abmelden unter https://acme.example/n',
    );
    const mail = await read([...from('Re: About you', 'Auto-Submitted: auto-replied'), ...text]);
    expect(mail).to.include({ said: 'out_of_office', counts: true });
    const person = await read([
      ...from('Re: About you'),
      ...plain('Bitte vom Newsletter abmelden, ich bin im Urlaub.'),
    ]);
    expect(person.said, 'a person').to.equal('unsubscribe');
  });

  describe('notices that somebody is gone for good', () => {
    for (const text of [
      'Thank you for your message. Ada Lovelace no longer works at Acme. Please contact office@acme.example.',
      'I have left the company. My mails are not forwarded.',
      'Frau Lovelace ist nicht mehr im Unternehmen. Bitte wenden Sie sich an office@acme.example.',
      'Madame Lovelace ne fait plus partie de la société. Merci de contacter le bureau.',
      'Ada Lovelace ya no trabaja en Acme.',
      'Ada Lovelace non lavora più in Acme.',
      'Ada Lovelace is niet meer werkzaam bij Acme.',
    ]) {
      it(`end what is under way: ${text.slice(0, 40)}`, async () => {
        const head = from('Automatic reply: About you', 'Auto-Submitted: auto-replied');
        expect(await read([...head, ...plain(text)])).to.include({ counts: true, said: 'referral' });
      });
    }

    it('others that machines write do not', async () => {
      const head = from('Re: About you', 'Auto-Submitted: auto-replied');
      for (const text of ['Your request 17 was forwarded to our team.', 'We have received your mail.'])
        expect(await read([...head, ...plain(text)])).to.include({ counts: false });
    });
  });

  describe('what nobody else can read is an answer all the same', () => {
    const wrapped: [what: string, type: string, body: string[]][] = [
      [
        'sealed by S/MIME',
        'application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m',
        ['Content-Transfer-Encoding: base64', '', 'MIAGCSqGSIb3DQEHA6CA'],
      ],
      [
        'sealed by PGP',
        'multipart/encrypted; protocol="application/pgp-encrypted"; boundary=b',
        [
          '',
          '--b',
          'Content-Type: application/pgp-encrypted',
          '',
          'Version: 1',
          '--b',
          'Content-Type: application/octet-stream; name=encrypted.asc',
          '',
          '-----BEGIN PGP MESSAGE-----',
          '--b--',
        ],
      ],
      [
        'in a winmail.dat alone',
        'application/ms-tnef; name="winmail.dat"',
        ['Content-Transfer-Encoding: base64', '', 'eJ8+IgEAAA=='],
      ],
      ['written in a charset that is none', 'text/plain; charset=x-unknown-8bit', ['', '\u00e4\u00f6\u00fc']],
    ];
    for (const [what, type, body] of wrapped) {
      it(what, async () => {
        const mail = await read([...from('Re: About you', `Content-Type: ${type}`), ...body], 'latin1');
        expect(mail).to.include({ counts: true, said: 'unclassified' });
      });
    }

    it('what is signed is read: S/MIME, PGP in the text', async () => {
      const smime = [
        'Content-Type: multipart/signed; protocol="application/pkcs7-signature"; micalg=sha-256; boundary=b',
        '',
        '--b',
        ...plain('Please remove me from your list.'),
        '--b',
        'Content-Type: application/pkcs7-signature; name=smime.p7s',
        'Content-Transfer-Encoding: base64',
        '',
        'MIAG',
        '--b--',
      ];
      expect((await read([...from('Re: About you'), ...smime])).said).to.equal('unsubscribe');
      const pgp = plain(
        '-----BEGIN PGP SIGNED MESSAGE-----',
        'Hash: SHA256',
        '',
        'Stop',
        '-----BEGIN PGP SIGNATURE-----',
        'iQ==',
        '-----END PGP SIGNATURE-----',
      );
      expect((await read([...from('Re: About you'), ...pgp])).said).to.equal('unsubscribe');
    });

    it('in the charset that it says', async () => {
      const bytes = (charset: string, ...body: number[]) =>
        Buffer.concat([
          Buffer.from([...from('Re: About you'), `Content-Type: text/plain; charset=${charset}`, '', ''].join('\r\n')),
          Buffer.from(body),
        ]);
      const cyrillic = await parseIncoming(1, bytes('koi8-r', 0xce, 0xc5, 0xd4), RECEIVED);
      expect(cyrillic.text.trim()).to.equal('нет');
      const japanese = await parseIncoming(
        1,
        bytes('iso-2022-jp', 0x1b, 0x24, 0x42, 0x24, 0x4f, 0x24, 0x24, 0x1b, 0x28, 0x42),
        RECEIVED,
      );
      expect(japanese.text.trim()).to.equal('はい');
      const german = await parseIncoming(
        1,
        bytes('windows-1252', ...Buffer.from('L\u00f6schen Sie meine Daten', 'latin1')),
        RECEIVED,
      );
      expect(replyIn(german).replyClass).to.equal('unsubscribe');
    });
  });

  describe('a wish is heard', () => {
    it('whose sentence a program broke in two, as plain text and as HTML', async () => {
      const wishes = [
        ['Thank you for the offer, but we have decided already. Please no further', 'mails to anybody of us.'],
        ['Vielen Dank für Ihr Angebot, wir sind schon versorgt. Bitte streichen Sie', 'mich aus Ihrem Verteiler.'],
        ['Merci pour votre message, mais nous avons fait notre choix. Merci de ne plus', 'me contacter à ce sujet.'],
      ];
      for (const lines of wishes) {
        expect((await read([...from('Re: About you'), ...plain(...lines)])).said, lines.join('/')).to.equal(
          'unsubscribe',
        );
        const html = [
          'Content-Type: text/html; charset=utf-8',
          '',
          '<html><body><div>',
          ...lines,
          '</div></body></html>',
        ];
        expect((await read([...from('Re: About you'), ...html])).said, `<div>${lines.join('/')}`).to.equal(
          'unsubscribe',
        );
      }
    });

    it('below and within what it quotes', async () => {
      const quote = [
        'On Thu, Nov 26, 2026 at 10:00 AM Grace Hopper <grace@agency.example> wrote:',
        '> Hello Ada,',
        '> are you interested?',
      ];
      for (const above of [[], [''], ['Hello Grace,', '']]) {
        const lines = [...above, ...quote, '', 'No, please remove me from your list.', '> Yours, Grace'];
        expect((await read([...from('Re: About you'), ...plain(...lines)])).said, above.join()).to.equal('unsubscribe');
      }
      const top = [
        'Sounds good, call me.',
        '',
        ...quote,
        '',
        'If you get our newsletter and want it no more, unsubscribe here',
      ];
      expect((await read([...from('Re: About you'), ...plain(...top)])).said, 'what a server adds below').to.equal(
        'positive',
      );
    });

    it('but none of ours that a program broke off its quote', async () => {
      const broken = [
        'Hello Grace,',
        '',
        'On Thu, Nov 26, 2026 at 10:00 AM Grace Hopper <grace@agency.example> wrote:',
      ];
      const lines = [
        ...broken,
        '> If you would rather hear no more of us, there is a word for it, which is',
        'unsubscribe',
        '> Yours',
      ];
      expect((await read([...from('Re: About you'), ...plain(...lines)])).said).to.equal('unclassified');
    });

    it('which stands in the subject alone', async () => {
      for (const subject of ['Please remove me from your list', 'RE: unsubscribe me', 'Keine weiteren Mails']) {
        expect((await read([...from(subject), ...plain('')])).said, subject).to.equal('unsubscribe');
      }
      expect((await read([...from('Re: interested in more?'), ...plain('')])).said, 'our own words').to.equal(
        'unclassified',
      );
    });

    it('between blanks that are more than one, and beside characters that nobody sees', async () => {
      for (const text of ['Please delete my&nbsp; contact&nbsp; data', 'un&#173;sub&#173;scribe', '&#65279;STOP']) {
        const html = ['Content-Type: text/html; charset=utf-8', '', `<p>${text}</p>`];
        expect((await read([...from('Re: About you'), ...html])).said, text).to.equal('unsubscribe');
      }
    });
  });

  describe('nobody is barred by what others wrote below their answer', () => {
    it('a mailing list, or their own company in its signature', async () => {
      const below = [
        [
          '-- ',
          'You received this message because you are subscribed to the Google Groups "Sales" group.',
          'To unsubscribe from this group and stop receiving emails from it, send an email to sales+unsubscribe@acme.example.',
        ],
        [
          '_______________________________________________',
          'Sales mailing list',
          'To unsubscribe send an email to sales-leave@acme.example',
        ],
        ['--', 'Ada Lovelace, Acme', 'You get our newsletter? Unsubscribe here: https://acme.example/n'],
      ];
      for (const lines of below) {
        expect(
          (await read([...from('Re: About you'), ...plain('Sounds good, call me.', '', ...lines)])).said,
          lines[1],
        ).to.equal('positive');
      }
      const alone = plain('-- ', 'Please unsubscribe me');
      expect((await read([...from('Re: About you'), ...alone])).said, 'nothing stands above').to.equal('unsubscribe');
    });

    it('our own mail, carried as a part of theirs', async () => {
      const mixed = [
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        ...plain('Sounds good, call me.'),
        '--b',
        'Content-Type: message/rfc822',
        '',
        'From: grace@agency.example',
        'Subject: About you',
        '',
        'Say stop and I leave you alone; unsubscribe at any time.',
        '--b--',
      ];
      const mail = await read([...from('Re: About you'), ...mixed]);
      expect(mail.said).to.equal('positive');
      expect(mail.text).to.not.contain('Say stop');
    });
  });
});
