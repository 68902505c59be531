import { expect } from 'chai';
import { imapSession } from '../../../pkg/providers/mail/imap-session.ts';
import { judgedServer } from '../../../pkg/providers/mail/judged-server.ts';
import type { MailboxAccess } from '../../../pkg/providers/mail/mail-provider.ts';
import { SmtpSession } from '../../../pkg/providers/mail/smtp-session.ts';

const server = (host: string, reach: 'public' | 'any') => ({ host, port: 1, tls: 'none' as const, reach });
const said = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'connected',
    (error: unknown) => (error as Error).message,
  );

describe('mail servers that workspaces chose', () => {
  it('are judged by their address, which is what is connected', async () => {
    expect(await judgedServer(server('8.8.8.8', 'public'))).to.deep.equal({ host: '8.8.8.8' });
    for (const host of ['127.0.0.1', 'localhost', '10.0.0.1', '::1', '169.254.169.254'])
      expect(await said(judgedServer(server(host, 'public'))), host).to.equal(`${host} is not a public address`);
    expect(await judgedServer(server('mail.svc', 'any')), 'the operator may').to.deep.equal({ host: 'mail.svc' });
  });

  it('are judged each time that an executor connects', async () => {
    const there = server('localhost', 'public');
    const mailbox: MailboxAccess = {
      accountId: 'box',
      address: 'a@agency.example',
      displayName: 'A',
      smtp: there,
      imap: there,
      username: 'a',
      password: 'p',
      savesSent: true,
      sentFolder: 'Sent',
    };
    expect(await said(SmtpSession.open(mailbox, undefined))).to.equal('localhost is not a public address');
    expect(await said(imapSession(mailbox, undefined, () => Promise.resolve()))).to.equal(
      'localhost is not a public address',
    );
  });
});
