import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { matchKeys, personForms, samePerson } from '../../../pkg/domain/same-person.ts';
import { parseCsv } from '../../../pkg/tools/leads/csv/parse-csv.ts';

interface Pair {
  same: boolean;
  hard: boolean;
  why: string;
  text: string;
  matched: boolean;
}

/** A labelled pair per line, persons invented; written before the matcher. */
function readPairs(): Pair[] {
  const text = readFileSync(new URL('identity-pairs.csv', import.meta.url), 'utf8');
  return parseCsv(text, () => true).rows.map(({ cells }) => {
    const [label, difficulty, why = '', ...rest] = cells;
    const forms = (from: number): ReturnType<typeof personForms> => {
      const [fullName = '', company = '', companyDomain = '', email = '', profileUrl = ''] = rest.slice(from, from + 5);
      return personForms({ fullName, company, companyDomain, email, profileUrl });
    };
    const [a, b] = [forms(0), forms(5)];
    // Who is who does not depend on the order of the question.
    expect(samePerson(a, b), rest.join(';')).to.equal(samePerson(b, a));
    // Who is one person by name and employer is found by a common key.
    if (samePerson(a, b) && !(a.profile ?? b.profile)) {
      const keys = new Set(matchKeys(b));
      expect(
        matchKeys(a).some((key) => keys.has(key)),
        rest.join(';'),
      ).to.equal(true);
    }
    return {
      same: label === 'same',
      hard: difficulty === 'hard',
      why,
      text: rest.join(';'),
      matched: samePerson(a, b),
    };
  });
}

describe('identity matching on labelled pairs', () => {
  const pairs = readPairs();
  const count = (test: (pair: Pair) => boolean): number => pairs.filter(test).length;

  it('is measured on enough hard pairs', () => {
    expect(pairs.length).to.be.at.least(500);
    expect(count((pair) => pair.same && pair.hard) / pairs.length).to.be.at.least(0.4);
    expect(count((pair) => !pair.same && pair.hard) / pairs.length).to.be.at.least(0.3);
  });

  it('has a precision of at least 0.99 at a recall of at least 0.90', () => {
    const right = count((pair) => pair.same && pair.matched);
    const precision = right / count((pair) => pair.matched);
    const recall = right / count((pair) => pair.same);
    console.log(`      ${pairs.length} pairs: precision ${precision.toFixed(4)}, recall ${recall.toFixed(4)}`);
    if (process.env['SHOW_WRONG'])
      for (const pair of pairs) if (pair.same !== pair.matched) console.log(`${pair.same} ${pair.why}: ${pair.text}`);
    expect(precision).to.be.at.least(0.99);
    expect(recall).to.be.at.least(0.9);
  });
});
