import { randomUUID } from 'node:crypto';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect } from 'chai';
import type { MailboxAccess, MailTls, OutgoingMail } from '../../../pkg/providers/mail/mail-provider.ts';
import { messageIdOf } from '../../../pkg/providers/mail/message-id.ts';
import { SmtpImapAdapter } from '../../../pkg/providers/mail/smtp-imap-adapter.ts';
import { ProviderError } from '../../../pkg/providers/network/network-provider.ts';
import { makeServerCertificate } from '../../../pkg/standalone/kubeapi/server-certificate.ts';
import { API_KEY, type Bench, startBench } from '../../fixtures/sandbox/harness.ts';
import { type Opening, startTlsProxy, type TlsProxy } from '../../fixtures/sandbox/tls-proxy.ts';

const ADDRESS = 'grace@agency.example';
const OPENINGS: readonly Opening[] = ['implicit', 'smtp', 'imap'];

/** An agency's authority signs its mail servers: NODE_EXTRA_CA_CERTS in a pod, the default authorities here. */
describe('mail over TLS', function () {
  this.timeout(30_000);
  let bench: Bench;
  const known = getCACertificates('default');
  const proxies = new Map<string, TlsProxy>();
  const adapter = new SmtpImapAdapter({ settleAfterMs: 2_000 });

  before(async () => {
    bench = await startBench('mail-tls');
    const { smtpPort, imapPort } = bench.sandbox.mail;
    const [trusted, stranger] = [await makeServerCertificate(Date.now()), await makeServerCertificate(Date.now())];
    setDefaultCACertificates([...known, trusted.cert]);
    for (const [name, certificate] of Object.entries({ trusted, stranger })) {
      for (const opening of OPENINGS) {
        if (opening !== 'imap')
          proxies.set(`${name} smtp ${opening}`, await startTlsProxy(opening, smtpPort, certificate));
        if (opening !== 'smtp')
          proxies.set(`${name} imap ${opening}`, await startTlsProxy(opening, imapPort, certificate));
      }
    }
  });
  after(async () => {
    setDefaultCACertificates(known);
    for (const proxy of proxies.values()) await proxy.close();
    await bench.stop();
  });

  const proxyOf = (whose: string, protocol: 'smtp' | 'imap', tls: MailTls): TlsProxy => {
    const found = proxies.get(`${whose} ${protocol} ${tls === 'implicit' ? 'implicit' : protocol}`);
    if (!found) throw new Error('no such proxy');
    return found;
  };
  const mailbox = (tls: MailTls, smtpPort: number, imapPort: number): MailboxAccess => ({
    accountId: 'box-1',
    address: ADDRESS,
    displayName: 'Grace Hopper',
    smtp: { host: '127.0.0.1', port: smtpPort, tls },
    imap: { host: '127.0.0.1', port: imapPort, tls },
    username: ADDRESS,
    password: API_KEY,
    savesSent: true,
    sentFolder: 'Sent',
  });
  const behind = (whose: string, tls: MailTls): MailboxAccess =>
    mailbox(tls, proxyOf(whose, 'smtp', tls).port, proxyOf(whose, 'imap', tls).port);
  const mail = (): OutgoingMail => ({
    messageId: messageIdOf(randomUUID(), ADDRESS),
    to: 'ada@acme.example',
    subject: 'Hello',
    text: 'Hello Ada',
    date: bench.clock.now(),
    references: [],
    unsubscribeUrl: null,
  });
  const refusal = async (work: Promise<unknown>): Promise<ProviderError> => {
    const error = await work.then(
      () => undefined,
      (cause: unknown) => cause,
    );
    if (error instanceof ProviderError) return error;
    throw new Error(`no ProviderError: ${String(error)}`);
  };

  for (const tls of ['implicit', 'starttls'] as const) {
    it(`${tls}: a mail leaves and is found in Sent; nothing but the upgrade is said in the clear`, async () => {
      const box = behind('trusted', tls);
      const one = mail();
      await (await adapter.open(box)).send(one);
      expect(await adapter.findSent(box, one.messageId, { to: '', since: 0 })).to.include({ found: true });
      const clear = [...proxyOf('trusted', 'smtp', tls).plain, ...proxyOf('trusted', 'imap', tls).plain];
      expect(clear.filter((line) => !/^(EHLO|STARTTLS|\S+ (CAPABILITY|STARTTLS))/i.test(line))).to.deep.equal([]);
    });

    it(`${tls}: a server whose certificate nobody vouches for gets neither password nor mail, and the error says why`, async () => {
      const box = behind('stranger', tls);
      for (const work of [() => adapter.open(box), () => adapter.findSent(box, '<a@b>', { to: '', since: 0 })]) {
        const error = await refusal(work());
        expect(error.kind).to.equal('unavailable_before_send');
        expect(error.message).to.match(/self-signed certificate/);
      }
    });
  }

  it('starttls: a server that does not offer it gets no password', async () => {
    const { smtpPort, imapPort } = bench.sandbox.mail;
    const box = mailbox('starttls', smtpPort, imapPort);
    for (const work of [() => adapter.open(box), () => adapter.findSent(box, '<a@b>', { to: '', since: 0 })]) {
      const error = await refusal(work());
      expect(error.kind).to.equal('unavailable_before_send');
      expect(error.message).to.match(/TLS/i);
    }
  });
});
