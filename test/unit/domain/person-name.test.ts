import { expect } from 'chai';
import fc from 'fast-check';
import { nameForms, nameParts, sameName } from '../../../pkg/domain/person-name.ts';

const called = (fullName: string): string => {
  const { firstName, lastName } = nameParts(fullName);
  return `${firstName}/${lastName}`;
};
const same = (a: string, b: string): boolean => sameName(nameForms(a), nameForms(b));

describe('names of persons', () => {
  it('are taken apart as their bearers are addressed: no message begins with "Hi Mme" or "Hola Sra."', () => {
    const expected: Record<string, string> = {
      'Dr. Anna Müller': 'Anna/Müller',
      'Müller, Dr. Anna': 'Anna/Müller',
      'Frau Müller': '/Müller',
      'Anna Schmidt, PhD': 'Anna/Schmidt',
      'Mme Marie Dupont': 'Marie/Dupont',
      'Mme Dupont': '/Dupont',
      'M. Jean Dupont': 'Jean/Dupont',
      'Monsieur Dupont': '/Dupont',
      'Mlle. Léa Petit': 'Léa/Petit',
      'Sr. Juan García López': 'Juan/García López',
      'Sra. García': '/García',
      'Señora Ana López': 'Ana/López',
      'Dña. Ana López': 'Ana/López',
      'Lic. Pedro Gómez': 'Pedro/Gómez',
      'Dott.ssa Paola Rossi': 'Paola/Rossi',
      'Avv. Rossi': '/Rossi',
      'Mag. (FH) Eva Huber': 'Eva/Huber',
      'Dipl.-Ing. (FH) Karl Weber': 'Karl/Weber',
      'Anna Müller (she/her)': 'Anna/Müller',
      'Anna Müller 🚀': 'Anna/Müller',
      'Anna Müller | CEO at Acme': 'Anna/Müller',
      'Anna Müller - Acme': 'Anna/Müller - Acme',
      'M Night Shyamalan': 'M/Night Shyamalan',
      '(Anna)': '(Anna)/',
      李小龍: '李小龍/',
    };
    for (const [fullName, parts] of Object.entries(expected)) expect(called(fullName), fullName).to.equal(parts);
  });

  it('are the same with and without the title of any language, so that nobody is imported twice for it', () => {
    for (const [a, b] of [
      ['Mme Marie Dupont', 'Marie Dupont'],
      ['M. Jean Dupont', 'Dupont, Jean'],
      ['Sr. Juan García', 'Juan Garcia'],
      ['Sra. Ana García López', 'Ana García'],
      ['Dott.ssa Paola Rossi', 'Paola Rossi'],
      ['Dña. Ana López', 'Ana Lopez'],
    ] as const) {
      expect(same(a, b), `${a}, ${b}`).to.equal(true);
    }
    expect(same('John Smith Sr.', 'John Smith'), 'behind the name it is a generation').to.equal(false);
    expect(same('John Smith, Sr.', 'John Smith Jr.')).to.equal(false);
    expect(same('Sr. Juan García', 'Jr. Juan García')).to.equal(false);
  });

  it('property: a name that is not empty keeps a part, and parts hold no more than it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        const { firstName, lastName } = nameParts(text);
        if (/\p{L}/u.test(text)) expect(`${firstName}${lastName}`).to.not.equal('');
        for (const word of `${firstName} ${lastName}`.split(/\s+/)) expect(text).to.include(word);
      }),
    );
  });
});
