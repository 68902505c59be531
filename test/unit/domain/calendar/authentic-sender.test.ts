import { expect } from 'chai';
import { isAuthentic } from '../../../../pkg/domain/calendar/authentic-sender.ts';

const HOSTS = ['imap.mail.example', 'agency.example'];
const FROM = 'bob@acme.example';
const AT = '@attacker.example';

describe('who a mail comes from, by what its server found out', () => {
  const cases: readonly [what: string, results: string[], hosts: string[], authentic: boolean][] = [
    ['aligned DKIM', ['mx.mail.example; dkim=pass header.d=acme.example'], HOSTS, true],
    ['DKIM of a part of the domain', ['mx.mail.example; dkim=pass header.i=@mail.acme.example'], HOSTS, true],
    ['aligned SPF', ['mx.mail.example; spf=pass (ok) smtp.mailfrom=bounce@acme.example'], HOSTS, true],
    ['Gmail under the name of Google', ['mx.google.com; dkim=pass header.i=@acme.example'], ['imap.gmail.com'], true],
    ['DKIM of somebody else', ['mx.mail.example; dkim=pass header.d=evil.example'], HOSTS, false],
    ['a signature that fails', ['mx.mail.example; dkim=fail header.d=acme.example'], HOSTS, false],
    ['SPF of somebody else', ['mx.mail.example; spf=pass smtp.mailfrom=evil.example'], HOSTS, false],
    ['a comment', ['mx.mail.example; dkim=none (; dkim=pass header.d=acme.example)'], HOSTS, false],
    [
      'a result below the server',
      ['mx.mail.example; dkim=none', 'mx.mail.example; dkim=pass header.d=acme.example'],
      HOSTS,
      false,
    ],
    ['a result of another server', ['mx.evil.example; dkim=pass header.d=acme.example'], HOSTS, false],
    ['no result', [], HOSTS, false],
    ['a name in quotes', ['mx.mail.example; dkim=pass header.d="acme.example" header.b="a+/="'], HOSTS, true],
    [
      'findings with comments, reasons and more properties',
      [
        'mx.mail.example 1; dmarc=pass (p=none) header.from=evil.example; dkim = pass reason="good; key" header.i=@acme.example',
      ],
      HOSTS,
      true,
    ],
    ['a domain in the local part', [`mx.mail.example; spf=pass smtp.mailfrom="acme.example x"${AT}`], HOSTS, false],
    ['a local part in quotes', ['mx.mail.example; spf=pass smtp.mailfrom="a; b"@acme.example'], HOSTS, true],
    [
      'a finding in a quoted local part',
      [`mx.mail.example; spf=pass smtp.mailfrom="a; dkim=pass header.d=acme.example"${AT}`],
      HOSTS,
      false,
    ],
    [
      'a finding in the quotes of a comment',
      [
        `mx.google.com; spf=pass (google.com: domain of "a); dkim=pass header.d=acme.example (b"${AT} designates it) smtp.mailfrom="a"${AT}`,
      ],
      ['imap.gmail.com'],
      false,
    ],
    [
      'a finding of a comment whose quotes the server left out',
      [`mx.mail.example; spf=pass (of a); dkim=pass header.d=acme.example (b${AT}) smtp.mailfrom=x${AT}`],
      HOSTS,
      false,
    ],
    ['a local part that ends early', [`mx.mail.example; spf=pass smtp.mailfrom=acme.example x${AT}`], HOSTS, false],
    ['two names', [`mx.mail.example; spf=pass smtp.mailfrom=acme.example smtp.mailfrom=x${AT}`], HOSTS, false],
    ['two domains', [`mx.mail.example; spf=pass smtp.mailfrom=x@acme.example${AT}`], HOSTS, false],
    ['quotes that never end', ['mx.mail.example; dkim=pass header.d=acme.example header.b="a'], HOSTS, false],
    ['a comment that never ends', ['mx.mail.example; dkim=pass header.d=acme.example (a'], HOSTS, false],
  ];
  const receipt = (what: string) => ({ name: 'received' as const, value: what });
  const found = (value: string) => ({ name: 'authentication-results' as const, value });
  for (const [what, results, hosts, authentic] of cases)
    it(`${what}: ${authentic ? 'is who it says' : 'proves nothing'}`, () => {
      const trace = [...results.map(found), receipt('from x by mx.mail.example with ESMTP id 1; today')];
      expect(isAuthentic(trace, FROM, hosts)).to.equal(authentic);
    });

  it('counts only above the receipt of the server: what stands below came with the mail', () => {
    const pass = found('mx.mail.example; dkim=pass header.d=acme.example');
    const border = receipt('from mx with LMTP by mx.mail.example with ESMTPS id 1 for <a@agency.example>; today');
    const handed = receipt('from mx.mail.example by imap.mail.example with LMTP id 2; today');
    expect(isAuthentic([pass, border], FROM, HOSTS)).to.equal(true);
    expect(isAuthentic([handed, pass, border], FROM, HOSTS)).to.equal(true);
    expect(isAuthentic([border, pass], FROM, HOSTS)).to.equal(false);
    expect(isAuthentic([border, pass, border], FROM, HOSTS)).to.equal(false);
    expect(isAuthentic([pass], FROM, HOSTS), 'nobody received it').to.equal(false);
    const google = found('mx.google.com; dkim=pass header.d=acme.example');
    expect(isAuthentic([border, google], FROM, ['imap.gmail.com']), 'Google always writes one').to.equal(true);
  });
});
