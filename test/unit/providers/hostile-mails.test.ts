import { expect } from 'chai';
import { MailParser } from '../../../pkg/providers/mail/mail-parser.ts';
import { MAX_PARSED, parsedPart } from '../../../pkg/providers/mail/parse-incoming.ts';
import { HOSTILE_MAILS } from '../../fixtures/foreign-bytes/hostile-mails.ts';

/** MB of a worker's heap that no mail may need, half of what it has; and of the process that asks. */
const WORKER_MB = 20;
const CALLER_MB = 8;

describe('a hostile mail', function () {
  this.timeout(120_000);
  // Half the heap that a worker has: what comes near its limit fails here first.
  const parser = new MailParser({ heapMb: WORKER_MB, withinMs: 100_000, workers: 1 });

  after(() => parser.close());

  for (const [what, make] of Object.entries(HOSTILE_MAILS)) {
    it(`of ${what} is read within the memory of its worker, and costs the process nothing`, async () => {
      const source = Buffer.from(make(), 'latin1');
      const before = process.memoryUsage().heapUsed;
      const mail = await parser.incoming('mailbox', { uid: 7, source, receivedAt: 1_000, part: 'whole' });
      expect((process.memoryUsage().heapUsed - before) / 1e6, 'MB here').to.be.below(CALLER_MB);
      expect([mail.uid, mail.receivedAt, mail.text.length <= 20_000]).to.deep.equal([7, 1_000, true]);
      const head = await parser.incoming('mailbox', { uid: 8, source, receivedAt: 1_000, part: 'head' });
      expect([head.uid, head.text]).to.deep.equal([8, '']);
    });
  }

  it('is parsed to 64 kB and 4,000 lines at most, and an honest one whole', () => {
    const part = (text: string): number => parsedPart(Buffer.from(text)).length;
    expect(part('x'.repeat(1_000_000))).to.equal(MAX_PARSED);
    expect(part('\n'.repeat(1_000_000))).to.equal(4_000);
    expect(part('A line that somebody wrote.\r\n'.repeat(2_000))).to.equal(2_000 * 29);
  });

  it('leaves the worker to the next one, which is read as ever', async () => {
    const source = Buffer.from('From: Ada <ada@acme.example>\r\nSubject: Re: Hello\r\n\r\nYes, please', 'utf8');
    const { from, text } = await parser.incoming('mailbox', { uid: 9, source, receivedAt: 1_000, part: 'whole' });
    expect([from, text.trim()]).to.deep.equal(['ada@acme.example', 'Yes, please']);
  });
});
