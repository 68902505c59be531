import { expect } from 'chai';
import { seededRandom } from '../../../pkg/domain/random.ts';
import { CsvSlices } from '../../../pkg/tools/leads/csv/csv-slices.ts';
import { type CsvRow, parseCsv } from '../../../pkg/tools/leads/csv/parse-csv.ts';

/** Cells as people have them: quoted, with line breaks, quotes inside, blanks around, none at all. */
const CELLS = ['a', '"b"', ' "c" ', '"d\ne"', '"f ""g"" h"', '5" pipe', '', '"i, j"', '"k" l', 'ü', '"m\r\nn"'];

describe('a file that is read slice by slice', () => {
  const sliced = (csv: string, piece: number): CsvRow[] => {
    const cut = new CsvSlices({});
    const rows: CsvRow[] = [];
    const take = (last: boolean): void => {
      for (let slice = cut.next(last); slice; slice = cut.next(last)) {
        const { text, ...place } = slice;
        const file = parseCsv(text, (cells) => cells.includes('email'), place);
        cut.named({ headers: file.headers, headerLine: file.headerLine });
        rows.push(...file.rows);
      }
    };
    for (let at = 0; at < csv.length; at += piece) {
      cut.add(csv.slice(at, at + piece));
      take(false);
    }
    cut.add('');
    take(true);
    return rows;
  };

  for (const seed of ['one', 'two', 'three', 'four'])
    it(`has the rows, lines and rows of a spreadsheet that it has as a whole (seed ${seed})`, () => {
      const random = seededRandom(seed);
      const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
      const end = pick(['\n', '\r\n']);
      const first = pick(['', 'sep=,\n', 'exported today\n\n']);
      const lines = Array.from({ length: 4_100 }, () => [pick(CELLS), pick(CELLS), pick(CELLS)].join(','));
      const csv = `${first}email,full name,company\n${lines.join(end)}${end}`;
      const whole = parseCsv(csv, (cells) => cells.includes('email')).rows;
      expect(sliced(csv, pick([777, 50_001, 1_000_000]))).to.deep.equal(whole);
    });

  it('says the line of the file where a quote stays open', () => {
    const csv = `email,company\n${'a@b.example,"C"\n'.repeat(4_500)}"open,\n`;
    expect(() => sliced(csv, 100_000)).to.throw('(line 4502)');
  });
});
