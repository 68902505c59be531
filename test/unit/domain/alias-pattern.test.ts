import { expect } from 'chai';
import { aliasNeedles, aliasPattern, withoutAliases } from '../../../pkg/domain/alias-pattern.ts';

const ada = { mails: ['ada@acme.example'], profiles: ['ada-l'], ids: [] };
const finds = (aliases: Parameters<typeof aliasPattern>[0], text: string): boolean =>
  new RegExp(aliasPattern(aliases) ?? '(?!)', 'gi').test(text);

/** A small generator, so that each run plays the same texts. */
function* texts(seed: number): Generator<string> {
  const parts = [
    'ada',
    'ADA',
    '@acme.example',
    '+x',
    '/in/',
    '/IN/ada-l',
    'https://n.example',
    ' ',
    '"',
    '.',
    '-l',
    'b',
    '%40acme.example',
    'in/',
    '%2F',
    '\\n',
  ];
  let state = seed;
  for (let count = 0; count < 2_000; count++) {
    let text = '';
    for (let length = 0; length < 8; length++) {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      text += parts[(state >> 16) % parts.length] ?? '';
    }
    yield text;
  }
}

describe('the pattern of a person’s names', () => {
  for (const text of [
    'ada@acme.example',
    'write to Ada@ACME.example.',
    '<ada+crm@acme.example>',
    'https://www.linkedin.com/in/ada-l',
    'see http://de.linkedin.com/in/ADA-L/details?x=1 now',
    '{"profileId": "ada-l"}',
    'ada-l',
    'https://x.example/unsubscribe?mail=ada%40acme.example&x=1',
    'https://x.example/go?to=https%3A%2F%2Fy.example%2F%3Fm%3DADA%2540acme.example',
    'mailto%3Aada%2Bcrm%40acme.example',
    '{"text":"To:\\nada@acme.example"}',
    'in/ada-l',
    'her profile is in/ADA-L, or linkedin:in/ada-l/',
    '?u=https%3A%2F%2Fwww.linkedin.com%2Fin%2Fada-l%2F&y=1',
    '{"text":"see\\nin/ada-l"}',
  ])
    it(`finds ${text}`, () => expect(finds(ada, text)).to.equal(true));

  for (const text of [
    'nada@acme.example',
    'ada@acme.example.org',
    'ada@acme.examples',
    'the-ada-l-team',
    'https://www.linkedin.com/in/ada-lovelace',
    'x.ada@acme.example',
    'mail=nada%40acme.example',
    'x%2Eada%40acme.example',
    'crm%2Bada%40acme.example',
    'ada%40acme.example.org',
    'in/ada-lovelace',
    'in/ada-l-2',
    'login/ada-l',
  ])
    it(`leaves ${text}`, () => expect(finds(ada, text)).to.equal(false));

  it('knows that gmail passes over dots, and its other name', () => {
    const gmail = { mails: ['adal@gmail.com'], profiles: [], ids: [] };
    for (const text of ['a.da.l@gmail.com', 'adal+x@googlemail.com']) expect(finds(gmail, text), text).to.equal(true);
    expect(finds(gmail, 'adal@mail.com')).to.equal(false);
  });

  it('takes no short word behind in/ for a profile, unless it stands in an address', () => {
    const person = { mails: [], profiles: ['person'], ids: [] };
    expect(finds(person, 'online or in/person')).to.equal(false);
    expect(finds(person, 'linkedin.com/in/person')).to.equal(true);
  });

  it('knows encoded and decomposed letters, and takes no short id for a word', () => {
    const andre = { mails: [], profiles: ['andré'], ids: ['short', 'longEnough1'] };
    for (const text of ['/in/andr%C3%A9', '/in/andre\u0301', '/in/ANDRÉ/', 'id longenough1.'])
      expect(finds(andre, text), text).to.equal(true);
    expect(finds(andre, 'short')).to.equal(false);
  });

  it('cuts what it finds out of every text of a document and nothing else', () => {
    const pattern = aliasPattern(ada) ?? '';
    const document = { a: ['mail ada+1@acme.example', 7], b: { c: null, d: 'Adam' } };
    expect(withoutAliases(document, pattern)).to.deep.equal({ a: ['mail erased', 7], b: { c: null, d: 'Adam' } });
  });

  it('whatever the pattern finds holds a needle: a row without one is passed over rightly', () => {
    const needles = aliasNeedles(ada).map((like) => new RegExp(like.replaceAll('%', '[^]*').replaceAll('.', '\\.')));
    let found = 0;
    for (let seed = 1; seed <= 20; seed++) {
      for (const text of texts(seed)) {
        if (!finds(ada, text)) continue;
        found++;
        expect(
          needles.some((needle) => needle.test(text.toLowerCase())),
          text,
        ).to.equal(true);
      }
    }
    expect(found).to.be.greaterThan(10);
  });
});
