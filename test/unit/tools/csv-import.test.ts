import { expect } from 'chai';
import fc from 'fast-check';
import { type ColumnTarget, mapColumns } from '../../../pkg/tools/leads/csv/headers.ts';
import { leadOfRow } from '../../../pkg/tools/leads/csv/lead-of-row.ts';
import { parseCsv } from '../../../pkg/tools/leads/csv/parse-csv.ts';

const fieldsOf = (headers: string[]): (string | null)[] =>
  mapColumns(headers, {}).targets.map((target: ColumnTarget) => (target && 'field' in target ? target.field : null));

describe('CSV as people have it', () => {
  for (const [name, delimiter] of [
    ['comma', ','],
    ['semicolon', ';'],
    ['tab', '\t'],
    ['bar', '|'],
  ] as const) {
    it(`detects the separator: ${name}`, () => {
      const text = [
        ['Name', 'Email'],
        ['Ada', 'ada@x.example'],
      ]
        .map((row) => row.join(delimiter))
        .join('\n');
      expect(parseCsv(text)).to.deep.equal({
        headers: ['Name', 'Email'],
        headerLine: 1,
        rows: [{ line: 2, row: 2, cells: ['Ada', 'ada@x.example'] }],
      });
    });
  }

  it('takes a separator inside a quoted header for text', () => {
    expect(parseCsv('"Last, First, Middle";Email\n"L, A";a@x.example\n').headers).to.deep.equal([
      'Last, First, Middle',
      'Email',
    ]);
  });

  it('ignores a byte order mark, CRLF and empty lines, and still counts lines', () => {
    const file = parseCsv('\uFEFFName,Email\r\n\r\nAda,ada@x.example\r\n,\r\nBo,bo@x.example\r\n');
    expect(file.headers).to.deep.equal(['Name', 'Email']);
    expect(file.rows.map((row) => [row.line, row.cells[0]])).to.deep.equal([
      [3, 'Ada'],
      [5, 'Bo'],
    ]);
  });

  it('names the line where a row begins, also after quoted line breaks', () => {
    const file = parseCsv('Name,Notes\nAda,"one\ntwo\nthree"\nBo,x\n');
    expect(file.rows.map((row) => row.line)).to.deep.equal([2, 5]);
  });

  it('refuses an unclosed quote and names the line', () => {
    expect(() => parseCsv('Name,Email\nAda,a@x.example\nBo,"b@x.example\n')).to.throw(/Invalid input: csv: .*line \d/);
  });

  it('refuses more than 10,000 rows', () => {
    expect(() => parseCsv(`Name\n${'Ada\n'.repeat(10_001)}`)).to.throw(/10001 rows, at most 10000/);
    expect(parseCsv(`Name\n${'Ada\n'.repeat(10_000)}`).rows).to.have.length(10_000);
  });

  it('reads back whatever was written with quotes', () => {
    const cell = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => !/[\uFEFF]/.test(text));
    const row = fc
      .array(cell, { minLength: 2, maxLength: 2 })
      .filter((cells) => cells.some((text) => text.trim() !== ''));
    const quoted = (cells: string[]): string => cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(',');
    fc.assert(
      fc.property(fc.array(row, { maxLength: 8 }), (rows) => {
        const file = parseCsv([['Name', 'Note'], ...rows].map(quoted).join('\n'));
        expect(file.rows.map((found) => found.cells)).to.deep.equal(rows);
      }),
    );
  });

  it('answers any text with a file or a sentence, never a fault', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        try {
          parseCsv(text);
        } catch (error) {
          expect(error).to.have.property('name', 'UserError');
        }
      }),
    );
  });
});

describe('headers of exports', () => {
  it('knows CRMs, networks and German files', () => {
    expect(fieldsOf(['First Name', 'Person Linkedin Url', 'Company Name for Emails', '# Employees'])).to.deep.equal([
      'firstName',
      'profileUrl',
      'company',
      'companySize',
    ]);
    expect(fieldsOf(['Vorname', 'Nachname', 'E-Mail-Adresse', 'Firma', 'Position'])).to.deep.equal([
      'firstName',
      'lastName',
      'email',
      'company',
      'title',
    ]);
  });

  it('fills a field from one column only, the first', () => {
    expect(fieldsOf(['Company', 'Company Name for Emails'])).to.deep.equal(['company', null]);
  });

  it('lets an explicit mapping win over a known header of the same field', () => {
    const { targets } = mapColumns(['Email', 'Private'], { Private: 'email', Email: 'customFields.work' });
    expect(targets).to.deep.equal([{ custom: 'work' }, { field: 'email' }]);
  });

  it('fills a field that the mapping gives from that column alone', () => {
    const { targets } = mapColumns(['Email', 'Private'], { Private: 'email' });
    expect(targets.filter((target) => target && 'field' in target && target.field === 'email')).to.have.length(1);
    expect(targets[1]).to.deep.equal({ field: 'email' });
  });

  it('refuses a mapping of columns or to fields that do not exist', () => {
    expect(mapColumns(['A'], { B: 'email' }).problem).to.match(/mapping\.B/);
    expect(mapColumns(['A'], { A: 'mail' }).problem).to.match(/mapping\.A: must be one of/);
    for (const key of ['__proto__', 'constructor', 'toString']) expect(fieldsOf([key])).to.deep.equal([null]);
  });
});

describe('a row becomes a lead', () => {
  const read = (headers: string[], cells: string[]) => leadOfRow({ line: 7, cells }, mapColumns(headers, {}).targets);

  it('brings identity into one form', () => {
    const result = read(
      ['Name', 'Email', 'LinkedIn', 'Company'],
      ['Ada L', ' ADA@X.Example ', 'linkedin.com/in/Ada-L/?a=1', 'X GmbH'],
    );
    expect(result).to.have.nested.property('lead.email', 'ada@x.example');
    expect(result).to.have.nested.property('lead.profileId', 'ada-l');
    expect(result).to.have.nested.property('lead.fields.firstName', 'Ada');
    expect(result).to.have.nested.property('lead.companyKey', 'x');
  });

  it('keeps the case of a member number in an address, by which alone the network knows its person', () => {
    const number = 'ACoAAAbCdEfGhIjKlMnOpQrStUvWxYz0123456789';
    const result = read(['Name', 'LinkedIn'], ['Ada L', `https://www.linkedin.com/in/${number}/`]);
    expect(result).to.have.nested.property('lead.fields.profileUrl', `https://www.linkedin.com/in/${number}`);
    expect(result, 'who is who does not depend on it').to.have.nested.property('lead.profileId', number.toLowerCase());
  });

  it('knows the person of an address of the Sales Navigator, as its exports give it, by the member number in it', () => {
    const number = 'ACwAAAbCdEfGhIjKlMnOpQrStUvWxYz0123456789';
    for (const kind of ['lead', 'people']) {
      const result = read(
        ['Name', 'profileUrl'],
        ['Ada', `https://www.linkedin.com/sales/${kind}/${number},NAME_SEARCH,x1-Y`],
      );
      expect(result).to.have.nested.property('lead.fields.profileUrl', `https://www.linkedin.com/in/${number}`);
      expect(result).to.have.nested.property('lead.profileId', number.toLowerCase());
    }
    const company = read(['Name', 'profileUrl'], ['Ada', 'https://www.linkedin.com/sales/company/1234']);
    expect(company).to.include({ field: 'profileUrl' });
  });

  it('takes a full name apart as the person would be addressed', () => {
    const namesOf = (fullName: string): string[] => {
      const result = leadOfRow({ line: 2, cells: [fullName, 'a@x.example'] }, [
        { field: 'fullName' },
        { field: 'email' },
      ]);
      if (!('lead' in result)) throw new Error(result.message);
      const { fields } = result.lead;
      return [fields.firstName, fields.lastName, fields.fullName];
    };
    for (const [written, first, last, full] of [
      ['Ann Lee', 'Ann', 'Lee', 'Ann Lee'],
      ['Ann Marie Lee', 'Ann', 'Marie Lee', 'Ann Marie Lee'],
      ['Lee, Ann', 'Ann', 'Lee', 'Ann Lee'],
      [
        'Müller-Lüdenscheidt, Dr. Anna Maria',
        'Anna Maria',
        'Müller-Lüdenscheidt',
        'Dr. Anna Maria Müller-Lüdenscheidt',
      ],
      ['Dr. Anna Müller', 'Anna', 'Müller', 'Dr. Anna Müller'],
      ['Prof. Dr.-Ing. Jörg Weber', 'Jörg', 'Weber', 'Prof. Dr.-Ing. Jörg Weber'],
      ['Ann Lee, PhD, MBA', 'Ann', 'Lee', 'Ann Lee, PhD, MBA'],
      ['🚀 Ann Lee', 'Ann', 'Lee', '🚀 Ann Lee'],
      ['Frau Müller', '', 'Müller', 'Frau Müller'],
      ['Ma Long', 'Ma', 'Long', 'Ma Long'],
      ['Ann', 'Ann', '', 'Ann'],
      ['Dr.', 'Dr.', '', 'Dr.'],
    ] as const)
      expect(namesOf(written), written).to.deep.equal([first, last, full]);
  });

  it('names the line and field of what can not be used', () => {
    expect(read(['Name', 'Email'], ['Ada', 'nope'])).to.include({ line: 7, field: 'email' });
    expect(read(['Name', 'LinkedIn'], ['Ada', 'https://x.example/company/acme'])).to.include({
      line: 7,
      field: 'profileUrl',
    });
    expect(read(['Name', 'Email', 'Company'], ['Ada', '', ''])).to.include({ line: 7, field: null });
    expect(read(['Name', 'Email'], ['a'.repeat(501), 'a@x.example']))
      .to.have.property('notes')
      .that.deep.equals([{ field: 'fullName', message: 'longer than 250 characters: left out' }]);
  });

  it('takes any cells without a fault', () => {
    const { targets } = mapColumns(['Name', 'Email', 'LinkedIn', 'Company', 'Title'], {});
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 7 }), (cells) => {
        expect(leadOfRow({ line: 2, cells }, targets)).to.be.an('object');
      }),
    );
  });
});
