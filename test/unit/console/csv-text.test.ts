import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  fileToMend,
  plainText,
  REASON_COLUMN,
  readRecords,
  tableOf,
} from '../../../pkg/console/screens/leads/import/csv-text.ts';
import { skippedOf } from '../../../pkg/console/screens/leads/import/skipped-rows.ts';
import { parseCsv } from '../../../pkg/tools/leads/csv/parse-csv.ts';
import { readCsv } from '../../../pkg/tools/leads/csv/read-csv.ts';

describe('a file of leads, as the console reads it', () => {
  /** As the server reads it, header and all. */
  const served = (text: string): { line: number; cells: string[] }[] => {
    const { headers, headerLine, rows } = parseCsv(text);
    return [
      { line: headerLine, cells: headers },
      ...rows.map(({ line, cells }) => ({ line, cells: cells.map((cell) => cell.trim()) })),
    ];
  };

  it('has the records, lines and cells that the server finds in it, whatever stands in a cell', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'ü', ',', '"', '\n', ';', ' ', '=', '<'), maxLength: 6 });
    const rows = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 6 });
    const written = (value: string): string => (/[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
    fc.assert(
      fc.property(rows, fc.constantFrom('\n', '\r\n', '\r'), fc.boolean(), (table, end, mark) => {
        const body = [['one', 'two', 'three'], ...table].map((cells) => cells.map(written).join(',')).join(end);
        const text = `${mark ? '\uFEFF' : ''}${body}${end}`;
        expect(readRecords(plainText(text), ',')).to.deep.equal(served(text));
      }),
      { numRuns: 500 },
    );
  });

  it('has those of a real export', () => {
    const text = readFileSync('docs/examples/leads.csv', 'utf8');
    const mine = readRecords(plainText(text), ',');
    const theirs = served(text);
    expect(mine.map(({ line }) => line)).to.deep.equal(theirs.map(({ line }) => line));
    expect(mine).to.deep.equal(theirs);
  });

  it('finds its head by what the server says, below remarks, behind a separator of its own', () => {
    for (const [text, delimiter] of [
      ['sep=;\nName;Mail\nAda;a@x.example\n', ';'],
      ['Export of May, all\nby Ada\nName\tMail\nAda\ta@x.example\n', '\t'],
      ['Name|Mail\nAda|a@x.example\n', '|'],
    ] as const) {
      const table = tableOf(text, ['Name', 'Mail']);
      expect(table?.delimiter).to.equal(delimiter);
      expect(table?.columns).to.deep.equal(['Name', 'Mail']);
      expect(table?.rows.map(({ cells }) => cells)).to.deep.equal([['Ada', 'a@x.example']]);
    }
    expect(tableOf('a,b\n1,2\n', ['Name', 'Mail']), 'another file').to.equal(undefined);
    expect(tableOf('alpha;beta\n1;2\n', undefined)?.columns, 'nobody said').to.deep.equal(['alpha', 'beta']);
  });

  it('comes back as a file to be mended: each skipped row as it was, with its reasons, read again without loss', () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', ',', '"', '\n', '=', '+', '<', '\t', ';'),
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 5 }), (names) => {
        const written = (value: string): string => `"${value.replaceAll('"', '""')}"`;
        const text = `Full name,E-mail\n${names.map((name) => `${written(name)},no mail`).join('\n')}\n`;
        const { problems, mapped, sheetRows } = readCsv(text, {});
        const errors = problems.map(({ row: line, ...rest }) => ({ ...rest, row: sheetRows.get(line) ?? line, line }));
        const columns = mapped.map(({ column, target }) => ({ name: column, target }));
        const skipped = skippedOf({ errors } as never, columns);
        expect(skipped.map(({ columns: meant }) => meant)).to.deep.equal(names.map(() => ['E-mail']));
        const table = tableOf(text, ['Full name', 'E-mail']);
        if (!table) throw new Error('no table');
        const file = fileToMend(table, skipped, new Map([[`${skipped[0]?.line}/1`, 'a@x.example']]));
        const [head, ...rows] = readRecords(plainText(file), ',');
        expect(head?.cells).to.deep.equal(['Full name', 'E-mail', REASON_COLUMN]);
        expect(rows.map(({ cells }) => cells[0])).to.deep.equal(names.map((name) => name.trim()));
        expect(rows[0]?.cells[1], 'what was mended').to.equal('a@x.example');
        expect(rows.slice(1).map(({ cells }) => cells[2])).to.deep.equal(
          names.slice(1).map(() => '"no mail" is no mail address'),
        );
        // The same file again, mended: its reasons take the place of those of before.
        const again = tableOf(plainText(file), ['Full name', 'E-mail', REASON_COLUMN]);
        const plain = again && fileToMend(again, skipped.slice(0, 1), new Map(), false);
        expect(plain?.split('\r\n')[0]).to.equal('Full name,E-mail');
      }),
      { numRuns: 300 },
    );
  });

  it('no reason of ours begins as a formula does', () => {
    const table = tableOf('Name\nAda\n', ['Name']);
    if (!table) throw new Error('no table');
    const row = { row: 2, line: 2, reasons: ['=cmd|calc'], columns: [] };
    expect(fileToMend(table, [row])).to.equal(`Name,${REASON_COLUMN}\r\nAda,'=cmd|calc\r\n`);
  });
});
