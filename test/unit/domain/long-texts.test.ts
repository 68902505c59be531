import { expect } from 'chai';
import { companyForms } from '../../../pkg/domain/company-name.ts';
import { contactsIn } from '../../../pkg/domain/craft/contacts-in.ts';

const LONG = 300_000;

/** Texts of strangers: what compared each letter with all behind it would take minutes. */
describe('a long text of a stranger is read once', () => {
  const found = (text: string): string[] =>
    contactsIn(text, { text: '' } as never, []).bare.map(({ from, to }) => text.slice(from, to));

  for (const piece of ['a', 'a-', 'a.', 'a.1.', '+', '1(', 'a@', '@', ' '])
    it(`for contacts, of ${JSON.stringify(piece)}`, () => {
      const text = piece.repeat(LONG / piece.length);
      expect(found(`${text} <anna@firm.example>`)).to.include('anna@firm.example');
    });

  it('for contacts, of the signs behind an address', () => {
    expect(found(`http://firm.example/${'.'.repeat(LONG)}x <anna@firm.example>`)).to.include('anna@firm.example');
  });

  it('for contacts, of an address without a host', () => {
    expect(found('http://... <anna@firm.example>')).to.include('anna@firm.example');
  });

  for (const piece of [' ', ' - ', '(', '- ', ' |\n'])
    it(`for the name of a company, of ${JSON.stringify(piece)}`, () => {
      const forms = companyForms(`Acme (Tools) GmbH${piece.repeat(LONG / piece.length)}x`);
      expect([...forms.keys][0]).to.match(/^acme/);
    });

  it('and the contacts of a short one stay what they were', () => {
    const text = 'Write to a.b+c@firm.example, ...see evil.example/x or sub-a.b.firm.example; +49 (30) 123456-7 @anna';
    expect(found(text)).to.deep.equal([
      'a.b+c@firm.example',
      'evil.example/x',
      'sub-a.b.firm.example',
      '+49 (30) 123456-7',
      '@anna',
    ]);
    const names = ['Acme GmbH - Berlin - Sales', 'Acme (a (b)) GmbH', 'Acme (Berlin', 'Acme – the makers'];
    expect(names.map((name) => [...companyForms(name).keys][0])).to.deep.equal(['acme', 'acme', 'acmeberlin', 'acme']);
  });
});
