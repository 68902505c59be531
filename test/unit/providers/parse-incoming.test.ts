import { expect } from 'chai';
import { classifyReply } from '../../../pkg/domain/reply-class.ts';
import { parseIncoming } from '../../../pkg/providers/mail/parse-incoming.ts';

const mail = (subject: string, text: string): Buffer =>
  Buffer.from(
    `From: Ada <ada@acme.example>\r\nSubject: ${subject}\r\nMessage-ID: <a@acme.example>\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${text}`,
    'utf8',
  );

describe('a mail of the inbox', () => {
  it('has texts that a database takes, wherever they are cut and whatever they hold', async () => {
    const read = await parseIncoming(1, mail('One \u0000two', `${'x'.repeat(19_999)}\u{1f600}`), 1_000);
    expect(read.receivedAt, 'by the server, whatever the sender says').to.equal(1_000);
    expect([read.subject, read.text.isWellFormed(), read.text.length]).to.deep.equal(['One two', true, 20_000]);
  });

  // What a round reads of one mail at most. Read at a quadratic cost, each of these stops the sync of all mailboxes for minutes.
  const MOST = 512 * 1024;
  const filled = (text: string): string => text.repeat(Math.floor(MOST / text.length));

  for (const [what, html] of [
    ['tags', filled('<')],
    ['scripts', filled('<script>')],
    ['styles', filled('<style ')],
    ['line breaks', filled('<br ')],
  ] as const) {
    it(`whose HTML begins ${what} and ends none is read in no time`, async () => {
      const source = Buffer.from(
        `From: a@b.example\r\nMessage-ID: <a@b>\r\nContent-Type: text/html\r\n\r\nYes<p>${html}`,
      );
      const read = await parseIncoming(1, source, 1_000);
      expect([read.from, read.text.slice(0, 3)]).to.deep.equal(['a@b.example', 'Yes']);
    });
  }

  it('reads as HTML is read: without scripts and styles in any case, a line for each paragraph', async () => {
    const html =
      '<STYLE>p { color: red }</style><p>One &amp; two</p><script>if (a < b) x("<p>")</Script><div>3 < 4</div>five<br />six<br>seven';
    const source = Buffer.from(`From: a@b.example\r\nMessage-ID: <a@b>\r\nContent-Type: text/html\r\n\r\n${html}`);
    const { text } = await parseIncoming(1, source, 1_000);
    expect(text.split('\n').map((line) => line.trim())).to.deep.equal(['One & two', '3 < 4', 'five', 'six', 'seven']);
  });

  it('that reports a bounce of an address without end is read in no time', async () => {
    const report = (recipient: string): Buffer =>
      Buffer.from(
        `From: a@b.example\r\nContent-Type: multipart/report; boundary=b\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nAction: failed\r\nStatus: 5.1.1\r\nFinal-Recipient: rfc822; ${recipient}\r\n--b--`,
      );
    expect((await parseIncoming(1, report(filled('a')), 1_000)).report?.recipient).to.equal(null);
    expect((await parseIncoming(1, report('<Ada@Acme.example>'), 1_000)).report?.recipient).to.equal(
      'ada@acme.example',
    );
  });

  it('without a Message-ID is known by what it says, whatever number a server gives it', async () => {
    const anonymous = (text: string): Buffer => Buffer.from(`From: Ada <ada@acme.example>\r\n\r\n${text}`);
    const [one, again, other] = [
      await parseIncoming(7, anonymous('Yes'), 1_000),
      await parseIncoming(8, anonymous('Yes'), 1_000),
      await parseIncoming(7, anonymous('No'), 1_000),
    ];
    expect(again.messageId).to.equal(one.messageId);
    expect(other.messageId).to.not.equal(one.messageId);
  });

  it('is read by its HTML where its plain text says nothing, with the characters that it spells', async () => {
    const part = (type: string, text: string): string =>
      `--b\r\nContent-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${text}\r\n`;
    const html =
      '<html><head><style>p{color:red}</style></head><body><p>Please&nbsp;unsubscribe me.</p><p>Gr&uuml;&szlig;e, it&#8217;s &#x41;da &lt;3</p></body></html>';
    for (const plain of ['', ' \r\n\u00a0\r\n']) {
      const source = `From: Ada <ada@acme.example>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n${part('text/plain', plain)}${part('text/html', html)}--b--\r\n`;
      const { text } = await parseIncoming(1, Buffer.from(source), 1_000);
      expect(text.replace(/\s+/g, ' ').trim()).to.equal('Please unsubscribe me. Gr\u00fc\u00dfe, it\u2019s Ada <3');
      expect(classifyReply(text, 1_000).replyClass).to.equal('unsubscribe');
    }
  });
});
