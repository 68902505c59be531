import { expect } from 'chai';
import { parseIncoming, parseSent } from '../../../pkg/providers/mail/parse-incoming.ts';

const OURS = '<outrider.01890000-0000-7000-8000-000000000001@\0agency.example>';
/** Mails with signs that PostgreSQL takes in no text and no JSON, wherever a mail has a text. */
const MAILS: Readonly<Record<string, readonly string[]>> = {
  'headers and text': [
    'From: "A\0 =?utf-8?q?=00?=" <a\0@b.example>',
    'Subject: \0=?utf-8?q?=00=ED=A0=80?=',
    'Message-ID: <\0x@y>',
    `In-Reply-To: ${OURS}`,
    'References: <a\0@b> <\0@x>',
    '',
    '\0'.repeat(60_000),
  ],
  'an id that its server kept': [`X-Microsoft-Original-Message-ID: ${OURS}`, 'Message-ID: <\0>', '', 'x'],
  HTML: ['Content-Type: text/html', '', '&#0;&#xD800;<b>\0</b>'],
  'half characters': ['Content-Type: text/plain; charset=utf-16le', '', 'a\0\x00\xd8b\0'],
  'a report': [
    'From: mailer-daemon@b.example',
    'Content-Type: multipart/report; report-type=delivery-status; boundary=q',
    '',
    '--q',
    'Content-Type: message/delivery-status',
    '',
    'Final-Recipient: rfc822; o\0wn@x.example',
    'Action: failed',
    'Status: 5.1.1',
    'Diagnostic-Code: smtp; 550 \0no',
    'Message-ID: <\0@y>',
    '--q--',
  ],
};

describe('a mail with signs that no database takes', () => {
  for (const [what, lines] of Object.entries(MAILS))
    it(`in ${what} is read without them`, async () => {
      const source = Buffer.from(lines.join('\r\n'), 'latin1');
      const said = [await parseIncoming(1, source, 5), (await parseSent(source)) ?? null];
      expect(textsIn(said).filter((text) => text.includes('\0') || !text.isWellFormed())).to.deep.equal([]);
    });
});

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
