import { expect } from 'chai';
import { parseIncoming } from '../../../pkg/providers/mail/parse-incoming.ts';

const OURS = '<outrider.01890000-0000-7000-8000-000000000001@agency.example>';
const read = (lines: readonly string[]) => parseIncoming(1, Buffer.from(lines.join('\r\n')), 1_000);

describe('mails that came back, as servers of the world write them', () => {
  const report = (part: string[], words = 'Your mail could not be delivered.'): string[] => [
    'From: MAILER-DAEMON@mx.acme.example (Mail Delivery System)',
    'To: grace@agency.example',
    'Subject: Undelivered Mail Returned to Sender',
    'Message-ID: <d1@mx.acme.example>',
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status;',
    '\tboundary="b"',
    '',
    '--b',
    'Content-Type: text/plain; charset=us-ascii',
    '',
    words,
    '',
    ...part,
    '--b',
    'Content-Type: message/rfc822',
    '',
    'From: grace@agency.example',
    'To: ada@acme.example',
    `Message-ID: ${OURS}`,
    '',
    'Hello Ada',
    '--b--',
  ];
  const status = (...lines: string[]): string[] => [
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.acme.example',
    '',
    ...lines,
    '',
  ];
  const failed = [
    'Final-Recipient: rfc822; ada@acme.example',
    'Action: failed',
    'Status: 5.1.1',
    'Diagnostic-Code: smtp; 550 5.1.1 unknown',
  ];
  const hard = { kind: 'hard_bounce', recipient: 'ada@acme.example' };

  it('by Postfix, Exchange and Gmail', async () => {
    const { report: told, mentions } = await read(report(status(...failed)));
    expect(told).to.deep.include(hard);
    expect(mentions).to.include(OURS);
  });

  it('whose words for people look like those for programs', async () => {
    const words =
      'Delivery has failed.\r\nAction: Check the address and send it again.\r\nStatus: 4.4.7 was tried before';
    expect((await read(report(status(...failed), words))).report).to.deep.include(hard);
  });

  it('whose words for programs are encoded', async () => {
    const lines = ['Reporting-MTA: dns; mx.acme.example', '', ...failed, ''].join('\r\n');
    const part = [
      '--b',
      'Content-Type: message/global-delivery-status',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(lines).toString('base64'),
    ];
    expect((await read(report(part))).report).to.deep.include(hard);
  });

  const daemon = (text: string[], ...more: string[]): string[] => [
    'From: MAILER-DAEMON@mx.acme.example',
    'To: grace@agency.example',
    'Subject: failure notice',
    'Message-ID: <q1@mx.acme.example>',
    ...more,
    '',
    ...text,
  ];
  const copy = [
    '--- Below this line is a copy of the message.',
    '',
    'Return-Path: <grace@agency.example>',
    `Message-ID: ${OURS}`,
    'Subject: 4.2.1 things',
    '',
    'Hello Ada',
  ];

  it('by servers that write to people alone: qmail, old Exim', async () => {
    const qmail = [
      'Hi. This is the qmail-send program at mx.acme.example.',
      '',
      '<ada@acme.example>:',
      'Remote host said: 550 5.1.1 no such user',
      '',
      ...copy,
    ];
    const told = await read(daemon(qmail));
    expect(told.report).to.deep.equal({
      kind: 'hard_bounce',
      recipient: 'ada@acme.example',
      reason: 'Remote host said: 550 5.1.1 no such user',
    });
    expect(told.mentions).to.include(OURS);
    const exim = [
      'A message that you sent could not be delivered to one or more of its recipients.',
      '',
      '  ada@acme.example',
      '    550 Unknown user',
    ];
    expect(
      (await read(daemon(exim, 'X-Failed-Recipients: ada@acme.example', 'Auto-Submitted: auto-replied'))).report,
    ).to.deep.include(hard);
  });

  it('for now only, or not at all', async () => {
    const later = ['<ada@acme.example>:', '452 4.2.2 mailbox full; I will keep trying', '', ...copy];
    expect((await read(daemon(later))).report).to.deep.include({ kind: 'soft_bounce' });
    const held = ['Your message waits for the moderator of the list.', '', ...copy];
    expect((await read(daemon(held))).report).to.equal(null);
    const other = ['<eve@other.example>:', '550 5.1.1 no such user'];
    expect((await read(daemon(other))).report, 'a mail that is none of ours').to.equal(null);
    const person = [
      'From: Ada Lovelace <ada@acme.example>',
      'Subject: Re: About you',
      `In-Reply-To: ${OURS}`,
      '',
      'Our postmaster says 550 5.1.1, but I am here. Yes, tell me more!',
      `> ${OURS}`,
    ];
    expect((await read(person)).report, 'a person').to.equal(null);
  });
});
