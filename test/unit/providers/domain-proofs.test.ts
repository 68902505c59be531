import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { type AskDns, domainProofs } from '../../../pkg/providers/mail/domain-proofs.ts';
import { signaturesIn } from '../../../pkg/providers/mail/signatures-in.ts';

const keyOf = (modulusLength: number): string =>
  generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
const KEY = `v=DKIM1; k=rsa; p=${keyOf(2048)}`;

type Zone = Readonly<Record<string, readonly string[] | 'SERVFAIL' | 'TIMEOUT'>>;

/** A DNS of these TXT records, in pieces as they come; all other names do not exist. */
const dns =
  (zone: Zone): AskDns =>
  async (name, type) => {
    const held = zone[name];
    if (held === 'SERVFAIL' || held === 'TIMEOUT')
      throw Object.assign(new Error(held), { code: held === 'TIMEOUT' ? 'ETIMEOUT' : 'ESERVFAIL' });
    if (held === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    if (type !== 'TXT') throw Object.assign(new Error('no such record'), { code: 'ENODATA' });
    return held.map((text) => [text.slice(0, 100), text.slice(100)]);
  };

const GOOD: Zone = {
  'acme.example': ['v=spf1 ip4:198.51.100.0/24 -all', 'other=1'],
  '_dmarc.acme.example': ['v=DMARC1; p=quarantine; sp=none'],
  's1._domainkey.acme.example': [KEY],
};
const look = (zone: Zone, domain = 'acme.example', selectors: string[] = ['s1']) =>
  domainProofs(domain, selectors, dns(zone));

describe('what the DNS says of a sending domain', () => {
  it('a domain whose three records stand proves itself', async () => {
    expect(await look(GOOD)).to.deep.equal({
      spf: 'pass',
      dkim: 'pass',
      dmarc: 'pass',
      dmarcPolicy: 'quarantine',
      problems: [],
    });
  });

  it('NXDOMAIN is an answer: the record is missing', async () => {
    const found = await look({});
    expect(found).to.include({ spf: 'fail', dkim: 'fail', dmarc: 'fail', dmarcPolicy: null });
    expect(found.problems).to.have.length(3);
    for (const problem of found.problems) expect(problem).to.contain('acme.example');
  });

  for (const way of ['SERVFAIL', 'TIMEOUT'] as const)
    it(`${way} proves nothing: unknown, never failing`, async () => {
      const zone = { 'acme.example': way, '_dmarc.acme.example': way, 's1._domainkey.acme.example': way } as const;
      expect(await look(zone)).to.include({ spf: 'unknown', dkim: 'unknown', dmarc: 'unknown' });
    });

  for (const [what, record, seen] of [
    ['two records', ['v=spf1 -all', 'v=spf1 ~all'], 'fail'],
    ['everybody may send', ['v=spf1 +all'], 'fail'],
    [
      'eleven look-ups',
      [`v=spf1 ${Array.from({ length: 11 }, (_, n) => `include:i${n}.example`).join(' ')} -all`],
      'fail',
    ],
    ['three names that are not there', ['v=spf1 a:x1.example a:x2.example a:x3.example -all'], 'fail'],
    ['a word that is none', ['v=spf1 ipv4:1.2.3.4 -all'], 'fail'],
    ['a soft end', ['v=spf1 ip4:198.51.100.1 ~all'], 'pass'],
  ] as const)
    it(`SPF: ${what}: ${seen}`, async () => {
      const included = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`i${n}.example`, ['v=spf1 ~all']]));
      expect((await look({ ...GOOD, ...included, 'acme.example': record })).spf).to.equal(seen);
    });

  it('SPF of a domain is not that of its subdomain; DMARC of the organisation is, by its sp', async () => {
    const found = await look(GOOD, 'mail.acme.example', []);
    expect(found).to.include({ spf: 'fail', dmarc: 'pass', dmarcPolicy: 'none', dkim: 'unknown' });
  });

  it('DMARC with p=none is a pass; two records are none', async () => {
    expect(await look({ ...GOOD, '_dmarc.acme.example': ['v=DMARC1; p=none'] })).to.include({
      dmarc: 'pass',
      dmarcPolicy: 'none',
    });
    expect((await look({ ...GOOD, '_dmarc.acme.example': ['v=DMARC1; p=none', 'v=DMARC1; p=reject'] })).dmarc).to.equal(
      'fail',
    );
  });

  it('DKIM is looked up for selectors that were seen, and one key that stands is enough', async () => {
    expect((await look(GOOD, 'acme.example', [])).dkim).to.equal('unknown');
    expect((await look(GOOD, 'acme.example', ['old', 's1'])).dkim).to.equal('pass');
    const of = async (record: string): Promise<string> =>
      (await look({ ...GOOD, 's1._domainkey.acme.example': [record] })).dkim;
    expect(await of('v=DKIM1; p=')).to.equal('fail');
    expect(await of(`v=DKIM1; p=${keyOf(768)}`)).to.equal('fail');
    expect(await of('v=DKIM1; p=AAAA'.padEnd(90, 'A'))).to.equal('fail');
    expect(await of('v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=')).to.equal('pass');
  });

  it('a record that leads from name to name ends', async () => {
    let asked = 0;
    const endless: AskDns = async (name) => {
      asked++;
      return [[`v=spf1 redirect=${asked}.${name.slice(-60)}`]];
    };
    expect((await domainProofs('acme.example', [], endless)).spf).to.not.equal('pass');
    expect(asked).to.be.below(70);
  });
});

describe('DKIM signatures that mails of ours carried where they arrived', () => {
  const signature = (h: string): string =>
    `DKIM-Signature: v=1; a=rsa-sha256; d=Acme.example; s=s1;\r\n\th=${h};\r\n bh=abc=; b=def\r\n =`;

  it('M7: tells whether both headers of one-click unsubscribe are covered, folded as they may be', () => {
    const all = 'From:To:Subject:List-Unsub\r\n\tscribe:List-Unsubscribe-Post';
    expect(signaturesIn(`From: a@b\r\n${signature(all)}\r\n\r\nHi`)).to.deep.equal([
      { domain: 'acme.example', selector: 's1', oneClick: true },
    ]);
    expect(signaturesIn(signature('From:List-Unsubscribe'))[0]?.oneClick).to.equal(false);
  });

  it('names that are none are left, and so is what comes after five', () => {
    expect(signaturesIn('DKIM-Signature: v=1; d=a b"; s=x')).to.deep.equal([]);
    expect(signaturesIn(`DKIM-Signature: d=a.example; s=${'x'.repeat(200)}`)).to.deep.equal([]);
    expect(signaturesIn(`${signature('From')}\r\n`.repeat(9))).to.have.length(5);
  });
});
