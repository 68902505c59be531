import { expect } from 'chai';
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
});
