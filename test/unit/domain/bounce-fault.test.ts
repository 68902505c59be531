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

/** More of what servers say, with the code of the report: whose fault it is. */
const TOLD: readonly (readonly [fault: string, status: string, words: string])[] = [
  ['sender', '5.7.1', '550 5.7.1 Recipient not authorized, your IP has been found on a block list'],
  ['sender', '5.7.1', 'smtp; 550 5.7.1 Unable to relay for anna@x.example'],
  ['message', '5.7.1', '550 5.7.1 Message rejected as spam by Content Filtering.'],
  [
    'sender',
    '5.7.1',
    "550-5.7.1 [192.0.2.1] The IP you're using to send mail is not authorized to send email directly to our servers",
  ],
  ['message', '5.7.1', '550 5.7.1 Our system has detected that this message is likely unsolicited mail'],
  ['sender', '5.7.1', '554 5.7.1 Service unavailable; Client host [1.2.3.4] blocked using zen.spamhaus.org'],
  ['message', '5.7.0', '550 5.7.0 Local policy violation'],
  ['sender', '5.7.606', '550 5.7.606 Access denied, banned sending IP [1.2.3.4]'],
  ['address', '5.1.1', '550 5.1.1 The email account that you tried to reach does not exist.'],
  ['address', '5.1.1', '550 5.1.1 anna@x.example: Recipient address rejected: User unknown in virtual mailbox table'],
  ['address', '5.1.10', '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup'],
  [
    'transient',
    '5.2.1',
    '550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered',
  ],
  ['address', '5.2.1', '550 5.2.1 The email account that you tried to reach is disabled.'],
  ['mailbox_full', '5.2.2', '552 5.2.2 The email account that you tried to reach is over quota'],
  ['address', '5.4.1', '550 5.4.1 Recipient address rejected: Access denied. AS(201806281)'],
  ['address', '5.4.1', '550 5.4.1 [anna@x.example]: Recipient address rejected: Access denied'],
  ['sender', '5.7.64', '550 5.7.64 TenantAttribution; Relay Access Denied'],
  ['sender', '5.7.708', '550 5.7.708 Service unavailable. Access denied, traffic not accepted from this IP'],
  ['sender', '5.7.705', '5.7.705 Access denied, tenant has exceeded threshold'],
  ['sender', '5.1.8', '550 5.1.8 Access denied, bad outbound sender'],
  ['message', '5.2.3', '552 5.2.3 message size exceeds fixed limit'],
  ['address', '5.3.0', '550 5.3.0 Requested action not taken: mailbox unavailable'],
  ['address', '5.0.0', '550 Requested action not taken: mailbox unavailable'],
  ['message', '5.0.0', '550 permanent failure for one or more recipients (anna@x.example:blocked)'],
  ['address', '5.0.0', "554 delivery error: dd This user doesn't have a yahoo.com account"],
  ['message', '5.0.0', '554 5.7.9 Message not accepted for policy reasons. See postmaster.yahooinc.com/error-codes'],
  ['sender', '4.7.0', '421 4.7.0 [TSS04] Messages from 1.2.3.4 temporarily deferred due to user complaints'],
  [
    'sender',
    '5.0.0',
    "550 SC-001 (BAY004) Unfortunately, messages from 1.2.3.4 weren't sent. Please contact your ISP since part of their network is on our block list (S3150)",
  ],
  [
    'sender',
    '5.7.1',
    "550 5.7.1 Unfortunately, messages from [1.2.3.4] weren't sent. part of their network is on our block list (S3140)",
  ],
  [
    'sender',
    '5.0.0',
    '550 Requested action not taken: mailbox unavailable. Reject due to policy restrictions. For explanation visit https://postmaster.gmx.net (IP: 1.2.3.4)',
  ],
  ['message', '5.0.0', '554 Transaction failed. Reject due to policy restrictions.'],
  ['sender', '5.0.0', '550 Requested action not taken: mailbox unavailable. invalid DNS MX or A/AAAA resource record'],
  ['sender', '5.0.0', '554-No SMTP service 554-Bad DNS PTR resource record.'],
  ['message', '5.0.0', '550 High probability of spam'],
  ['address', '5.0.0', '550 Mailbox not found or access denied'],
  ['sender', '5.0.0', '550 relay not permitted'],
  ['sender', '5.0.0', '550 Verification failed for <me@agency.example>; Sender verify failed'],
  ['sender', '5.0.0', '550 5.1.8 <me@agency.example>: Sender address rejected: Domain not found'],
  ['sender', '5.1.0', '550 5.1.0 <me@agency.example>: Sender address rejected: undeliverable address'],
  ['address', '5.1.0', '550 5.1.0 Address rejected.'],
  ['sender', '5.7.1', '550 5.7.1 <me@agency.example>: Sender address rejected: not owned by user'],
  ['sender', '5.7.1', '550 5.7.1 <anna@x.example>: Recipient address rejected: Please see http://www.openspf.net/Why'],
  ['message', '5.7.1', '550 5.7.1 <anna@x.example>: Recipient address rejected: Mail appeared to be SPAM or forged'],
  ['message', '5.7.1', '554 5.7.1 <anna@x.example>: Recipient address rejected: Access denied'],
  ['message', '5.7.1', '550 5.7.1 Delivery not authorized, message refused'],
  ['address', '5.7.1', '550 5.7.1 RESOLVER.RST.AuthRequired; authentication required'],
  ['address', '5.7.133', '550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required'],
  ['sender', '5.7.1', '550 5.7.1 Email rejected per DMARC policy for agency.example'],
  [
    'message',
    '5.7.1',
    '550-5.7.1 The user or domain that you are sending to (or from) has a policy that prohibited the mail',
  ],
  ['address', '5.4.4', 'Host or domain name not found. Name service error for name=x.example type=MX: Host not found'],
  [
    'transient',
    '5.4.4',
    'smtp; Host or domain name not found. Name service error type=AAAA: Host not found, try again',
  ],
  ['transient', '5.4.6', '554 5.4.6 Too many hops'],
  ['transient', '5.4.14', '554 5.4.14 Hop count exceeded - possible mail loop'],
  ['sender', '5.5.0', '554 5.5.0 Error: too many recipients'],
  ['message', '5.2.0', '550 5.2.0 RESOLVER.RST.SendSizeLimit.Org; message too large for this organization'],
  ['transient', '5.2.121', "550 5.2.121 Recipient's per hour message receive limit from specific sender exceeded"],
  [
    'transient',
    '5.2.122',
    '550 5.2.122 The recipient has exceeded their limit for the number of messages they can receive per hour',
  ],
  ['transient', '5.4.300', '550 5.4.300 Message expired'],
  ['transient', '5.4.316', '550 5.4.316 Message expired, connection refused'],
  ['address', '5.1.351', '550 5.1.351 Remote server returned unknown recipient or mailbox unavailable'],
  ['sender', '5.0.350', '550 5.0.350 Remote server returned an error -> 550 5.7.1 blocked using Spamhaus'],
  ['sender', '5.0.0', '550 Rejected because 1.2.3.4 is in a black list at b.barracudacentral.org'],
  ['address', '5.0.0', '550 No such user here'],
  ['address', '5.0.0', '550 Unrouteable address'],
  ['address', '5.0.0', '550 Empfänger unbekannt'],
  ['address', '5.0.0', '550 Benutzer existiert nicht'],
  ['mailbox_full', '5.0.0', '550 Postfach voll'],
  ['address', '5.0.0', '550 Utilisateur inconnu'],
  ['address', '5.0.0', '550 Adresse d au moins un destinataire invalide. Invalid recipient. OFR_416'],
  ['address', '5.0.0', "550 5.1.1 Adresse d'au moins un destinataire invalide"],
  ['transient', '4.2.0', '451 Greylisted, please try again in 5 minutes'],
  ['sender', '5.0.0', '571 Message blocked due to reputation of sending host'],
  ['address', '5.0.0', '550 This mailbox has been blocked due to inactivity'],
  ['address', '5.0.0', '550 account blocked, user inactive'],
  ['address', '5.0.0', '550 Mailbox has been suspended'],
  ['address', '5.7.1', '550 5.7.1 Mailbox disabled for this recipient'],
  ['address', '5.5.0', '550 5.5.0 mailbox unavailable'],
  ['message', '5.5.1', '503 5.5.1 sender not yet given'],
  ['address', '5.1.2', "550 5.1.2 We weren't able to find the recipient domain. Please check for any spelling errors"],
  ['address', '5.0.0', '550 No MX record for domain'],
  ['sender', '5.0.0', '550 5.4.5 Daily sending quota exceeded'],
  ['sender', '5.4.5', '550 5.4.5 Daily user sending limit exceeded.'],
  ['transient', '4.2.1', '450 4.2.1 The user you are trying to contact is receiving mail too quickly'],
  ['address', '5.0.0', '550 Domain frozen'],
  [
    'address',
    '5.0.0',
    '550 Message was not accepted -- invalid mailbox. Local mailbox anna@x.example is unavailable: user not found',
  ],
  ['address', '5.0.0', '550 anna@x.example is not a valid mailbox'],
  ['address', '5.0.0', '550 #5.1.0 Address rejected.'],
  ['sender', '5.0.0', '550 #5.7.1 Your access to submit messages to this e-mail system has been rejected.'],
  [
    'sender',
    '5.0.0',
    "554 Your access to this mail system has been rejected due to the sending MTA's poor reputation.",
  ],
  ['message', '5.0.0', '550 Administrative prohibition - envelope blocked - https://community.mimecast.com'],
  ['sender', '5.0.0', '550 csi.mimecast.org Poor Reputation Sender.'],
  ['sender', '5.0.0', '550 Rejected by header based Anti-Spoofing policy: me@agency.example'],
  ['address', '5.0.0', '550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550'],
  ['message', '5.0.0', '554 Email rejected due to security policies - MCSpamSignature.x'],
  ['address', '5.0.0', '550 permanent failure: anna@x.example no longer works here'],
  ['sender', '5.7.1', '550 5.7.1 Rejected by Anti-Spoofing policy - Inbound not allowed'],
  ['sender', '5.0.0', '550 Sender address rejected: Domain not found'],
  ['sender', '5.0.0', '554 Could not verify the sender address'],
  ['sender', '4.7.0', '421 4.7.0 [TSS09] Messages from 192.0.2.7 temporarily deferred due to excessive complaints'],
  ['message', '5.7.1', '550 5.7.1 Message refused by security policies'],
  ['message', '5.0.0', '554 5.7.9 Message not accepted for policy reasons'],
  ['address', '5.7.1', '550 5.7.1 RESOLVER.RST.NotAuthorized; not authorized'],
  ['address', '5.7.134', '550 5.7.134 RESOLVER.RST.SenderNotAuthenticatedForMailbox; authentication required'],
  ['address', '5.0.0', '550 Domain has been suspended'],
  ['address', '5.0.0', '550 this is not a valid recipient'],
  ['address', '5.0.0', '550 Account suspended due to inactivity'],
  ['address', '5.0.0', '554 MX record not found for acme.example'],
  ['transient', '5.2.122', '550 5.2.122 something about an hour'],
];

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

  it('a policy, or a word about the sender, is told before the address that stands in it', () => {
    for (const [fault, status, words] of TOLD) expect(faultOf(words, status).replace(/:.*/, ''), words).to.equal(fault);
  });
});
