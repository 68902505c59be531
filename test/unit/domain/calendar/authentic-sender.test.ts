import { expect } from 'chai';
import { isAuthentic } from '../../../../pkg/domain/calendar/authentic-sender.ts';

const HOSTS = ['imap.mail.example', 'agency.example'];
const FROM = 'bob@acme.example';

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
  ];
  for (const [what, results, hosts, authentic] of cases)
    it(`${what}: ${authentic ? 'is who it says' : 'proves nothing'}`, () => {
      expect(isAuthentic(results, FROM, hosts)).to.equal(authentic);
    });
});
