import { expect } from 'chai';
import fc from 'fast-check';
import { bounceVerdict, restReason } from '../../../pkg/domain/bounce-fault.ts';

const faultOf = (words: string, status = '', code = Number(/^\d{3}/.exec(words)?.[0] ?? 0)): string => {
  const { fault, sender } = bounceVerdict({ status, code, words });
  return sender ? `${fault}: ${sender}` : fault;
};

/** What servers of the world say, by whose fault it is. */
const SAID: Readonly<Record<string, readonly string[]>> = {
  address: [
    "550-5.1.1 The email account that you tried to reach does not exist. Please try double-checking the recipient's email address",
    '550 5.1.1 <ada@acme.example>: Recipient address rejected: User unknown in virtual mailbox table',
    '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient ada@acme.example not found by SMTP address lookup',
    '550 5.4.1 Recipient address rejected: Access denied. AS(201806281)',
    '550 5.2.1 The email account that you tried to reach is disabled.',
    '550 No such user here',
    '553 sorry, no mailbox here by that name (#5.7.1)',
    '554 delivery error: dd This user doesn’t have a yahoo.com account (ada@yahoo.com) [-5]'.replace('’', "'"),
    '550 Requested action not taken: mailbox unavailable',
    '512 5.1.2 Host unknown (Name server: acme.example: host not found)',
    '550 5.4.310 DNS domain acme.example does not exist',
    '550 5.7.124 RESOLVER.RST.SenderNotInGroup; sender not in allowed-senders list',
    '550 Empfänger unbekannt',
    '511 5.1.1 Utilisateur inconnu',
    '556 5.1.10 Recipient address has null MX',
  ],
  mailbox_full: [
    '552 5.2.2 The email account that you tried to reach is over quota.',
    '452 4.2.2 The recipient mailbox is full',
    '550 Mailbox quota exceeded',
    '554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException',
  ],
  'sender: limit': [
    '550 5.4.5 Daily user sending limit exceeded. For more information on Gmail sending limits go to',
    '550 5.1.90 Your message can not be sent because you have reached your daily limit for message recipients.',
    "550 5.7.232 Your message can't be sent because your trial tenant has exceeded its daily limit",
    '550 5.7.705 Access denied, tenant has exceeded threshold',
    'Sender exceeded the hourly sending quota',
    '452 4.4.5 too many messages from this user',
  ],
  'sender: authentication': [
    '550-5.7.26 Your email has been blocked because the sender is unauthenticated. Gmail requires all senders to authenticate with either SPF or DKIM.',
    '550 5.7.23 The message was rejected because of Sender Policy Framework violation',
    '550 5.7.509 Access denied, sending domain agency.example does not pass DMARC verification and has a DMARC policy of reject',
    '550 5.7.1 Unauthenticated email from agency.example is not accepted due to domain DMARC policy',
    '550 5.7.25 The IP address sending this message does not have a PTR record setup',
    '554 5.7.1 <ada@acme.example>: Relay access denied',
    '550 5.7.60 SMTP; Client does not have permissions to send as this sender',
    '451 4.7.26 Unauthenticated email from agency.example is rate limited',
  ],
  'sender: reputation': [
    '550 5.7.1 Service unavailable, Client host [192.0.2.7] blocked using Spamhaus',
    '554 5.7.1 192.0.2.7 listed by bl.example.net',
    '550 5.7.1 Your IP is on a block list (S3140). You can also refer your provider to',
    '554 5.7.1 Rejected: 192.0.2.7 listed at zen.dnsbl.example',
    '550-5.7.28 Gmail has detected an unusual rate of unsolicited mail originating from your IP address',
    '550 5.7.606 Access denied, banned sending IP [192.0.2.7]',
    '554 Your access to this mail system has been rejected due to the sending MTA’s poor reputation.',
    '550 5.1.8 Access denied, bad outbound sender',
    '421 4.7.0 [192.0.2.7] Our system has detected that this message is suspicious due to the very low reputation of the sending IP address',
    '554 5.7.0 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.7 your IP has been blocked',
  ],
  message: [
    '554 5.7.1 Message rejected due to content restrictions',
    '552 5.3.4 Message size exceeds fixed limit',
    '550 5.7.1 This message looks like SPAM to me',
    '550 5.7.1 Message contains a virus',
    '550 5.7.1 TRANSPORT.RULES.RejectMessage; the message was rejected by organization policy',
    '554 5.6.0 Corrupt message content',
  ],
  transient: [
    '450 4.2.0 Greylisted, see you in five minutes',
    '451 4.3.0 Temporary lookup failure',
    '554 5.4.7 delivery time expired',
    '450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered.',
    '554 5.3.0 something else',
    '421 4.4.2 Connection timed out',
    '432 4.3.2 STOREDRV.Storage; mailbox server is too busy, try again later',
  ],
};

describe('whose fault it is that a mail came back', () => {
  for (const [fault, texts] of Object.entries(SAID)) {
    for (const words of texts) {
      it(`${fault}: ${words.slice(0, 60)}`, () => {
        expect(faultOf(words)).to.equal(fault);
      });
    }
  }

  it('is told by the code of a report as well as by its words', () => {
    expect(faultOf('smtp; unknown', '5.1.1')).to.equal('address');
    expect(faultOf('smtp; refused', '5.7.26')).to.equal('sender: authentication');
    expect(faultOf('smtp; refused', '5.4.5')).to.equal('sender: limit');
    expect(faultOf('smtp; 550 listed by bl.example.net', '5.7.1')).to.equal('sender: reputation');
    expect(faultOf('smtp; 550 policy', '5.7.1'), 'a policy says nothing of the address').to.equal('message');
    expect(faultOf('', '5.0.0'), 'nobody knows').to.equal('transient');
    expect(faultOf('', '4.4.1')).to.equal('transient');
  });

  it('names no address of a person in what the mailbox says of its rest', () => {
    expect(restReason('limit', 'to <ada@acme.example>: slow  down')).to.equal(
      'its provider says that it sent too much: lower its daily limit (to … slow down)',
    );
  });

  it('is the same whatever stands around the words, and found at a linear cost', () => {
    const texts = Object.entries(SAID).flatMap(([fault, all]) => all.map((words) => [fault, words] as const));
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.constantFrom('', 'smtp; ', 'mx.acme.example said: '),
        ([fault, words], before) => {
          expect(faultOf(`${before}${words}`, '', Number(words.slice(0, 3)) || 0)).to.equal(fault);
          expect(faultOf(words.toUpperCase(), '', Number(words.slice(0, 3)) || 0)).to.equal(fault);
        },
      ),
    );
    for (const part of ['user ', 'ip ', 'blocked by ', '5.7.1 ', 'your ip ', 'a'])
      faultOf(part.repeat(100_000 / part.length));
  });
});
