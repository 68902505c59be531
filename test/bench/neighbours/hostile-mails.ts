import { MailParser } from '../../../pkg/providers/mail/mail-parser.ts';
import { HOSTILE_MAILS } from '../../fixtures/foreign-bytes/hostile-mails.ts';
import type { Measured } from './measured.ts';

const HONEST = Buffer.from(
  `From: Ada <ada@acme.example>\r\nSubject: Re: Hello\r\nMessage-ID: <a@acme.example>\r\n\r\nYes, please.\r\n${'> Hello\r\n'.repeat(200)}`,
);

/** Mails of one mailbox, alone and while another one gets hostile mails without end. */
export async function hostileMails(count: number): Promise<Measured[]> {
  const parser = new MailParser();
  await read(parser, 1);
  const quiet = await read(parser, count);
  let over = false;
  const sources = Object.values(HOSTILE_MAILS).map((make) => Buffer.from(make(), 'latin1'));
  const lane = async (): Promise<void> => {
    for (let n = 0; !over; n++) {
      const source = sources[n % sources.length] ?? HONEST;
      await parser.incoming('harm', { uid: n, source, receivedAt: 0, part: 'whole' }).catch(() => undefined);
    }
  };
  const lanes = Array.from({ length: 4 }, lane);
  const harmed = await read(parser, count);
  over = true;
  await Promise.all(lanes);
  await parser.close();
  return [
    { name: 'mails, quiet', ...quiet },
    { name: 'mails beside hostile mails', ...harmed },
  ];
}

async function read(parser: MailParser, count: number): Promise<Omit<Measured, 'name'>> {
  const times: number[] = [];
  for (let uid = 1; uid <= count; uid++) {
    const begun = process.hrtime.bigint();
    const mail = await parser.incoming('quiet', { uid, source: HONEST, receivedAt: 0, part: 'whole' });
    if (mail.from === 'ada@acme.example') times.push(Number(process.hrtime.bigint() - begun) / 1e6);
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { answered: times.length, p50: at(0.5), p99: at(0.99) };
}
