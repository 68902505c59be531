import { expect } from 'chai';
import { humanReplies, replyIn } from '../../../pkg/engine/mail/match-inbox.ts';
import { parseIncoming } from '../../../pkg/providers/mail/parse-incoming.ts';

const RECEIVED = Date.parse('2026-11-30T10:00:00Z');

interface Given {
  from?: string;
  subject?: string;
  headers?: readonly string[];
  text: string;
}

async function read({ from = 'ada@acme.example', subject = 'Re: About you', headers = [], text }: Given) {
  const typed = headers.some((one) => /^content-type:/i.test(one)) ? [] : ['Content-Type: text/plain; charset=utf-8'];
  const lines = [
    `From: Ada <${from}>`,
    `Subject: ${subject}`,
    'Message-ID: <1@acme.example>',
    'In-Reply-To: <outrider.01890000-0000-7000-8000-000000000001@agency.example>',
    ...headers,
    ...typed,
    'Content-Transfer-Encoding: 8bit',
    '',
    text,
  ];
  const mail = await parseIncoming(1, Buffer.from(lines.join('\r\n'), 'utf8'), RECEIVED);
  const counts = humanReplies([{ mail, sendId: '', personId: '', named: true, writers: [], sent: [] }]).length > 0;
  const { replyClass, returnAt } = replyIn(mail);
  const until = returnAt === null ? null : new Date(returnAt).toISOString().slice(0, 10);
  return { author: mail.author, counts, replyClass, until };
}

/** An absence until 7 December, whatever says so. */
const ABSENCES: Given[] = [
  {
    subject: 'Automatic reply: About you',
    headers: ['X-Auto-Response-Suppress: All'],
    text: 'Thanks, sounds good! I read mails again on 7 December.',
  },
  { subject: 'Respuesta automática: About you', text: 'Gracias. Leo correos de nuevo el 7 de diciembre.' },
  { subject: 'Autosvar: About you', text: 'Tack! Jag är tillbaka den 7 december.' },
  { subject: 'Automatická odpověď: About you', text: 'Děkuji, vracím se 7. prosince.' },
  { subject: 'Автоматический ответ: About you', text: 'Спасибо. Вернусь 7 декабря.' },
  { subject: '自动答复: About you', text: '谢谢，我12月7日回来。' },
  {
    subject: '자동 회신: About you',
    text: '감사합니다. 12월 7일에 돌아옵니다.',
    headers: ['Auto-Submitted: auto-replied'],
  },
  { headers: ['Auto-Submitted: auto-replied'], text: 'Wracam do pracy 7 grudnia.' },
  { headers: ['X-Autoreply: yes'], text: 'Happy to talk, from December 7th on.' },
  { headers: ['Precedence: auto_reply'], text: 'Je lis mes mails de nouveau le 7 décembre' },
  { headers: ['Return-Path: <>'], text: 'Ich lese Mails wieder ab 07.12.' },
  { headers: ['X-Autorespond: vacation'], text: 'I am back on Monday.' },
];

/** What nobody wrote, and what is no absence either. */
const NO_REPLIES: Given[] = [
  {
    subject: 'Read: About you',
    headers: ['Content-Type: multipart/report; report-type=disposition-notification; boundary=b'],
    text: '--b\r\nContent-Type: text/plain\r\n\r\nYour message was read on Monday. Sounds good.\r\n--b--',
  },
  { headers: ['Precedence: bulk'], text: 'Yes, we have received your request. Interested in our offers?' },
  {
    subject: '[Ticket#2026113010000017] About you',
    headers: ['Precedence: bulk', 'Auto-Submitted: auto-generated'],
    text: 'Thank you for your mail. Sure, we will look into it until 7 December.',
  },
  {
    subject: 'Your request [#4711]',
    headers: ['X-Auto-Response-Suppress: All'],
    text: 'Your request (4711) has been received and is being reviewed. Yes!',
  },
  { from: 'no-reply@acme.example', headers: ['X-Auto-Response-Suppress: OOF'], text: 'Interested? Log in.' },
  { from: 'support@acme.example', headers: ['X-Zendesk-Ticket: 1'], text: 'We have received your message. Great!' },
  { subject: 'Gelesen: About you', headers: ['Return-Path: <>'], text: 'Ihre Nachricht wurde gelesen. Gerne.' },
];

/** What people write through programs that mark their mails. */
const PEOPLE: Given[] = [
  { headers: ['Auto-Submitted: no'], text: 'Sounds good.' },
  { headers: ['X-Auto-Response-Suppress: DR, OOF, AutoReply'], text: 'Sounds good.' },
  {
    headers: ['Precedence: list', 'List-Id: <sales.acme.example>', 'List-Unsubscribe: <mailto:x@acme.example>'],
    text: 'Sounds good.',
  },
  { headers: ['Precedence: bulk', 'List-Id: <sales.acme.example>'], text: 'Sounds good.' },
  { headers: ['X-Zendesk-Ticket: 1', 'Return-Path: <ada@acme.example>'], text: 'Sounds good.' },
  { subject: 'Re: Automatic reply: About you', text: 'Sounds good, I am back.' },
];

describe('mails of machines', () => {
  for (const given of ABSENCES) {
    it(`that tell of an absence hold the run until its end: ${given.subject ?? given.headers?.[0]}`, async () => {
      const { counts, replyClass, until } = await read(given);
      expect({ counts, replyClass, until }).to.deep.equal({
        counts: true,
        replyClass: 'out_of_office',
        until: '2026-12-07',
      });
    });
  }

  for (const given of NO_REPLIES) {
    it(`that only say that a mail came or was read are no reply: ${given.subject ?? given.headers?.[0]}`, async () => {
      expect(await read(given)).to.include({ counts: false });
    });
  }

  for (const given of PEOPLE) {
    it(`are told from those of people by more than one weak mark: ${given.subject ?? given.headers?.[0]}`, async () => {
      expect(await read(given)).to.include({ author: 'person', counts: true, replyClass: 'positive' });
    });
  }

  it('a wish that stands in the subject alone is heard, whatever signature is below, and no word of ours in it is one', async () => {
    for (const subject of [
      'STOP',
      'Remove me',
      'Bitte abmelden',
      'BAJA',
      'Désinscription',
      'AW: STOP',
      'Re: Your growth - REMOVE',
    ])
      expect((await read({ subject, text: 'Ada Byron\r\nCEO, Acme' })).replyClass, subject).to.equal('unsubscribe');
    const mail = await parseIncoming(
      1,
      Buffer.from('From: ada@acme.example\r\nSubject: Re: Stop losing mails\r\n\r\nSounds good, call me.'),
      RECEIVED,
    );
    expect(replyIn(mail, [{ body: 'Hi Ada', subject: 'Stop losing mails' }]).replyClass).to.equal('positive');
  });
});
