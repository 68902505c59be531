import { expect } from 'chai';
import type { Attempt } from '../../../../pkg/domain/enrichment/attempt.ts';
import { fieldsToAsk } from '../../../../pkg/domain/enrichment/enrich-fields.ts';
import { badMail, type DomainAnswer } from '../../../../pkg/domain/enrichment/mail-verdict.ts';
import { MAX_TRIES, nextAsk, takenAnswer } from '../../../../pkg/domain/enrichment/next-ask.ts';
import { sameSubject, tokenSimilarity } from '../../../../pkg/domain/enrichment/same-subject.ts';
import { mailChecks } from '../../../../pkg/providers/enrichment/mail-checks.ts';

const DAY = 86_400_000;
const attempt = (provider: string, outcome: Attempt['outcome'], more: Partial<Attempt> = {}): Attempt => ({
  provider,
  outcome,
  answer: {},
  confidence: null,
  ref: null,
  tries: 0,
  ...more,
});
const A = { name: 'a', fields: ['email', 'phone'] as const };
const B = { name: 'b', fields: ['email', 'email_verification'] as const };
const BOTH = [A, B];
const NONE: ReadonlySet<string> = new Set();

// Source: rules E1 and E2 of enrichment.
describe('enrichment: who is asked next', () => {
  it('E1: a provider is asked once for all open fields that it offers, an address is verified once it is known', () => {
    const open = (['email', 'email_verification', 'phone'] as const).map((field) => ({ field, attempts: [] }));
    expect(nextAsk(open, BOTH, NONE)).to.deep.equal({ provider: A, fields: ['email', 'phone'], ref: undefined });
    const found = [
      { field: 'email' as const, attempts: [attempt('a', 'found')] },
      open[1] ?? { field: 'phone', attempts: [] },
    ];
    expect(nextAsk(found, BOTH, NONE)).to.deep.include({ provider: B, fields: ['email_verification'] });
  });

  it('E1: it stops at the first valid answer; what is invalid or about another is not found', () => {
    const email = (...attempts: Attempt[]) => [{ field: 'email' as const, attempts }];
    expect(nextAsk(email(attempt('a', 'found')), BOTH, NONE)).to.equal(undefined);
    for (const outcome of ['invalid', 'mismatch', 'not_found'] as const) {
      expect(nextAsk(email(attempt('a', outcome)), BOTH, NONE)?.provider, outcome).to.equal(B);
    }
    const taken = takenAnswer({ field: 'email', attempts: [attempt('b', 'found'), attempt('a', 'found')] }, BOTH);
    expect(taken?.provider, 'the first in order').to.equal('a');
  });

  it('one that failed is asked again, a few times; one that works on it is waited for', () => {
    const failed = (tries: number) => [{ field: 'phone' as const, attempts: [attempt('a', 'failed', { tries })] }];
    expect(nextAsk(failed(MAX_TRIES - 1), BOTH, NONE)?.provider).to.equal(A);
    expect(nextAsk(failed(MAX_TRIES), BOTH, NONE)).to.equal(undefined);
    const working = [{ field: 'email' as const, attempts: [attempt('a', 'asked', { ref: 'req_1' })] }];
    expect(nextAsk(working, BOTH, NONE)).to.deep.include({ provider: A, ref: 'req_1' });
    expect(nextAsk(working, BOTH, new Set(['a email'])), 'nobody else meanwhile').to.equal(undefined);
    const unheard = [{ field: 'email' as const, attempts: [attempt('a', 'asked', { tries: MAX_TRIES })] }];
    expect(nextAsk(unheard, BOTH, NONE)?.provider, 'after a hang').to.equal(B);
  });
});

// Source: rule E3.
describe('enrichment: what is asked for', () => {
  const now = 400 * DAY;
  it('E3: each field has a freshness of its own; what a person entered is never asked for', () => {
    const all = ['profile', 'email', 'email_verification', 'phone'] as const;
    const known = { profile: now - 61 * DAY, email: now - 89 * DAY, phone: now - 179 * DAY };
    expect(fieldsToAsk(all, known, now, null)).to.deep.equal(['profile', 'email_verification']);
    expect(fieldsToAsk(all, known, now, 0)).to.deep.equal([...all]);
    expect(fieldsToAsk(all, { email: 'hand', phone: 'hand' }, now, 0)).to.deep.equal(['profile', 'email_verification']);
  });
});

// Source: rule E6.
describe('enrichment: whom an answer is about', () => {
  it('E6: name and company must agree by four fifths of their words; what nobody tells proves nothing', () => {
    const asked = { fullName: 'Ada Lovelace', company: 'Acme GmbH', domain: '' };
    expect(sameSubject(asked, { fullName: 'ada LOVELACE', company: 'Acme' })).to.equal(true);
    expect(sameSubject(asked, {})).to.equal(true);
    expect(sameSubject(asked, { fullName: 'Bob Lovelace', company: 'Acme' })).to.equal(false);
    expect(sameSubject(asked, { fullName: 'Ada Lovelace', company: 'Globex' })).to.equal(false);
    expect(
      sameSubject({ company: 'Acme', domain: 'acme.com' }, { company: 'Acme Europe', domain: 'www.acme.com' }),
    ).to.equal(true);
    expect(sameSubject({ domain: 'acme.com' }, { domain: 'globex.com' })).to.equal(false);
    expect(tokenSimilarity('a b c d e', 'a b c d f')).to.equal(0.8);
  });
});

// Source: rule E2.
describe('enrichment: an address, before anybody is paid for it', () => {
  const mxOf = (answer: { exchange: string; priority: number }[] | string, host: string[] | string = 'ENOTFOUND') => {
    const told = <T>(value: T | string): Promise<T> =>
      typeof value === 'string'
        ? Promise.reject(Object.assign(new Error(value), { code: value }))
        : Promise.resolve(value);
    return mailChecks({ resolveMx: () => told(answer), resolve4: () => told(host) });
  };
  it('E2: form, then the domain, then throw-away and role mailboxes', async () => {
    const checks = {
      domain: (): Promise<DomainAnswer> => Promise.resolve('takes_mail'),
      isDisposable: mxOf([]).isDisposable,
    };
    expect(await badMail('no address', checks)).to.equal('syntax');
    expect(await badMail('ada@mailinator.com', checks)).to.equal('disposable');
    expect(await badMail('info@acme.example', checks)).to.equal('role');
    expect(await badMail('ada@acme.example', checks)).to.equal(null);
    expect(await badMail('info@nowhere.example', { ...checks, domain: () => Promise.resolve('takes_none') })).to.equal(
      'domain',
    );
  });

  it('E2: a null MX takes none, no such domain takes none, a name server that does not answer proves nothing', async () => {
    expect(await mxOf([{ exchange: 'mx.acme.example', priority: 10 }]).domain('acme.example')).to.equal('takes_mail');
    expect(await mxOf([{ exchange: '', priority: 0 }]).domain('acme.example'), 'RFC 7505').to.equal('takes_none');
    expect(await mxOf('ENODATA', ['192.0.2.1']).domain('acme.example'), 'RFC 5321').to.equal('takes_mail');
    expect(await mxOf('ENOTFOUND').domain('acme.example')).to.equal('takes_none');
    for (const code of ['ESERVFAIL', 'ETIMEOUT', 'ECONNREFUSED']) {
      expect(await mxOf(code).domain('acme.example'), code).to.equal('unknown');
    }
  });
});
