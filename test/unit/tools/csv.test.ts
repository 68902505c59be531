import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { ParsePool } from '../../../pkg/base/foreign-bytes/parse-pool.ts';
import { systemIds } from '../../../pkg/base/ids.ts';
import { looksLikeHeader, mapColumns } from '../../../pkg/tools/leads/csv/headers.ts';
import { leadOfRow, type ParsedLead } from '../../../pkg/tools/leads/csv/lead-of-row.ts';
import { parseCsv } from '../../../pkg/tools/leads/csv/parse-csv.ts';
import { readFile } from '../../../pkg/tools/leads/csv/read-file.ts';

/** Reads a whole file as an import does. */
function read(text: string, mapping: Record<string, unknown> = {}) {
  const file = parseCsv(text, (cells) => looksLikeHeader(cells, mapping));
  const { targets, problem } = mapColumns(file.headers, mapping);
  const results = file.rows.map((row) => leadOfRow(row, targets));
  const leads: ParsedLead[] = results.flatMap((result) => ('lead' in result ? [result.lead] : []));
  return { leads, skipped: results.flatMap((result) => ('message' in result ? [result] : [])), targets, problem };
}

describe('CSV as people have it', () => {
  const expected = { firstName: 'Zoë', lastName: 'Müller', company: 'Nordwind; Söhne' };
  const rows = (separator: string, newline: string): string =>
    [
      ['First Name', 'Last Name', 'E-Mail', 'Company'],
      ['Zoë', 'Müller', 'zoe@nordwind.example', '"Nordwind; Söhne"'],
      ['Ed', 'Two', 'ed@two.example', 'Two'],
    ]
      .map((cells) => cells.join(separator))
      .join(newline);

  for (const [name, separator] of Object.entries({ comma: ',', semicolon: ';', tab: '\t', bar: '|' })) {
    for (const [ending, newline] of Object.entries({ LF: '\n', CRLF: '\r\n', CR: '\r' })) {
      it(`reads ${name} with ${ending}, with and without a byte order mark`, () => {
        for (const mark of ['', '\uFEFF']) {
          const { leads } = read(mark + rows(separator, newline));
          expect(leads.map((lead) => lead.line)).to.deep.equal([2, 3]);
          expect(leads[0]?.fields).to.include(expected);
        }
      });
    }
  }

  it('reads files with mixed line endings', () => {
    const { leads } = read('Name,Email,Company\r\nA B,a@b.example,One\nC D,c@d.example,Two\r\n');
    expect(leads.map((lead) => lead.fields.company)).to.deep.equal(['One', 'Two']);
  });

  for (const newline of ['\n', '\r\n']) {
    it(`names lines of the file, also after quoted line breaks (${JSON.stringify(newline)}) and empty lines`, () => {
      const text = ['Email,Notes', 'a@a.example,"one', 'two', 'three"', '', 'broken,x', 'b@b.example,y'].join(newline);
      const { leads, skipped } = read(text);
      expect(leads.map((lead) => lead.line)).to.deep.equal([2, 7]);
      expect(skipped).to.deep.equal([{ line: 6, field: 'email', message: '"broken" is no mail address' }]);
    });
  }

  it('skips the remarks that a network puts above the header, and the sep= line of a spreadsheet', () => {
    const remarks = 'Notes:\n"When exporting your data, you may notice, that some mails are missing."\n\n';
    const { leads } = read(
      `${remarks}First Name,Last Name,URL,Email Address,Company,Position,Connected On\nIda,Roth,https://www.linkedin.com/in/ida-roth,,Roth,Head of Sales,01 Jan 2026\n`,
    );
    expect(leads).to.have.length(1);
    expect(leads[0]).to.include({ line: 5, profileId: 'ida-roth' });
    expect(leads[0]?.fields.title).to.equal('Head of Sales');
    expect(read('sep=;\nEmail;Company\na@a.example;A, B & C\n').leads[0]?.fields.company).to.equal('A, B & C');
  });

  const exports: Record<string, [string, string]> = {
    Apollo: [
      'First Name,Last Name,Title,Company,Company Name for Emails,Email,# Employees,Industry,Person Linkedin Url,Website,Company Linkedin Url,City',
      'Ann,Lee,VP Sales,Acme Inc,Acme,ann@acme.example,250,software,http://www.linkedin.com/in/ann-lee,https://www.acme.example,http://www.linkedin.com/company/acme,Bonn',
    ],
    HubSpot: [
      'Record ID,First Name,Last Name,Email,Job Title,Company Name,Number of Employees,Industry,City,LinkedIn URL',
      '1,Ann,Lee,ann@acme.example,VP Sales,Acme Inc,250,software,Bonn,linkedin.com/in/ann-lee/',
    ],
    'a German CRM': [
      'Vorname;Nachname;E-Mail-Adresse;Position;Firma;Mitarbeiter;Branche;Ort;LinkedIn',
      'Ann;Lee;Ann@Acme.example;VP Sales;Acme Inc;250;software;Bonn;https://de.linkedin.com/in/ann-lee?utm_source=x',
    ],
  };
  for (const [name, [header, row]] of Object.entries(exports)) {
    it(`knows the header names of ${name}`, () => {
      const { leads } = read(`${header}\n${row}\n`);
      expect(leads[0]).to.include({ email: 'ann@acme.example', profileId: 'ann-lee' });
      expect(leads[0]?.fields).to.include({
        firstName: 'Ann',
        lastName: 'Lee',
        fullName: 'Ann Lee',
        title: 'VP Sales',
        seniority: 'vp',
        company: 'Acme Inc',
        companySize: '250',
        industry: 'software',
        location: 'Bonn',
        companyDomain: 'acme.example',
        profileUrl: 'https://www.linkedin.com/in/ann-lee',
      });
    });
  }

  it('an explicit mapping wins over a known header name; custom fields are kept', () => {
    const { leads } = read('Mail,Work,Tier\nold@a.example,new@a.example,gold\n', {
      Work: 'email',
      Tier: 'customFields.tier',
    });
    expect(leads[0]?.email).to.equal('new@a.example');
    expect(leads[0]?.customFields).to.deep.equal({ tier: 'gold' });
  });

  it('refuses a mapping that names no column, no field, one field twice, or a prototype key', () => {
    const problem = (mapping: Record<string, unknown>): string | null =>
      read('Mail,Work\na@a.example,x\n', mapping).problem;
    expect(problem({ Nope: 'email' })).to.equal('mapping.Nope: the file has no such column');
    expect(problem({ Mail: 'salary' })).to.match(/^mapping.Mail: must be one of firstName, /);
    expect(problem({ Mail: 'email', Work: 'email' })).to.equal('mapping.Work: another column goes to email already');
    expect(problem({ Mail: 'customFields.__proto__' })).to.match(/^mapping.Mail: must be/);
  });

  it('header names of Object.prototype are ordinary unknown columns', () => {
    const { leads, targets } = read('Email,constructor,__proto__,toString\na@a.example,1,2,3\n');
    expect(targets).to.deep.equal([{ field: 'email' }, null, null, null]);
    expect(leads).to.have.length(1);
  });

  it('names a row whose cells are shifted, too long, or no identity', () => {
    const { skipped } = read(`Name,Company,Email\nA,B,a@b.example,oops\n${'x'.repeat(501)},B,\nOnly Name,,\n`);
    expect(skipped.map(({ line, message }) => [line, message])).to.deep.equal([
      [2, '4 cells where the header names 3 columns'],
      [3, 'no identity: needs email, profile address, or name and company'],
      [4, 'no identity: needs email, profile address, or name and company'],
    ]);
  });

  it('placeholders for "nothing" identify nobody; surnames stay', () => {
    const { leads, skipped } = read(
      'First Name,Last Name,Company,Email,LinkedIn URL\nIna,Null,Acme,n/a,-\nPit,None,Acme,none,unknown\n,,,N/A,none\n',
    );
    expect(leads.map((lead) => [lead.fields.lastName, lead.email, lead.profileId])).to.deep.equal([
      ['Null', null, null],
      ['None', null, null],
    ]);
    expect(skipped.map((row) => row.line)).to.deep.equal([4]);
  });

  it('a free mail provider is nobody’s employer', () => {
    expect(read('Email\nx@gmail.com\n').leads[0]?.fields.companyDomain).to.equal('');
  });

  it('a broken file is refused with the line', () => {
    expect(() => read('Email,Name\na@a.example,"A ""x""\nb@b.example,B\n')).to.throw(
      /a quote is opened and never closed \(line 2\)/,
    );
    for (const [rows, line] of [
      // Inches of a cell without quotes open nothing.
      ['a@a.example,5" pipe\nb@b.example,"B\nc@c.example,C', 3],
      ['a@a.example,A\nb@b.example,"B\nc@c.example,"C"\nd@d.example,"D', 3],
      ['a@a.example,"A\nB"\nb@b.example,"B', 4],
      ['a@a.example,"A ""\nB"\nb@b.example, "B', 4],
    ] as const)
      expect(() => read(`Email,Name\n${rows}\n`), rows).to.throw(`never closed (line ${line})`);
    expect(() => read(`Email\n${'x'.repeat(1_100_000)}`)).to.throw(/longer than a megabyte/);
    expect(() => read('\n\n')).to.throw(/must name the columns/);
    expect(() => read(`Email\n${'a@a.example\n'.repeat(10_001)}`)).to.throw(/10001 rows, at most 10000 in a call/);
  });

  it('who sends a file while too many wait is told that it was not read, and what to do', async () => {
    const limits = { workers: 1, heapMb: 64, withinMs: 1_000, queued: 1, queuedOfOne: 1 };
    const pool = new ParsePool(new URL('file:///nowhere'), limits);
    await pool.close();
    const context = { ids: systemIds, workspaceId: 'acme' };
    const csv = `Email\n${'a@a.example\n'.repeat(10_000)}`;
    const text = await readFile(context, { csv }, pool).then(String, String);
    expect(text).to.match(
      /Too many files wait to be read.*Nothing was imported: make the same call again in a minute\.$/,
    );
  });

  it('quotes and blanks are read as spreadsheets read them', () => {
    const companies = (text: string): unknown => read(text).leads.map((lead) => lead.fields.company);
    expect(companies('Email,Company\na@a.example,A\nb@b.example,"B" C\n')).to.deep.equal(['A', 'B C']);
    expect(companies('Email,Company\na@a.example,A "B" C\n')).to.deep.equal(['A "B" C']);
    expect(companies('Email,Company,City\na@a.example, "Sechs, Söhne" ,Bonn\n')).to.deep.equal(['Sechs, Söhne']);
    expect(companies('Email;Company\na@a.example;5" Screens\nb@b.example;"x"y"z"\n')).to.have.length(2);
  });

  it('any text gives rows or one UserError, and every row keeps its line', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r', '@', 'é', '\uFEFF', '.'), maxLength: 80 }),
        (text) => {
          try {
            const file = parseCsv(`Email,Name\n${text}`, (cells) => looksLikeHeader(cells, {}));
            const lines = file.rows.map((row) => row.line);
            expect(lines).to.deep.equal(lines.toSorted((a, b) => a - b));
          } catch (error) {
            expect(error).to.have.property('name', 'UserError');
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('what was quoted is read back cell by cell', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', 'ß', ' '), maxLength: 12 });
    const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 }), (records) => {
        const text = records.map((cells) => `x@y.example,${cells.map(quoted).join(',')}`).join('\r\n');
        const file = parseCsv(`Email,Name,Company\r\n${text}`, (cells) => looksLikeHeader(cells, {}));
        expect(file.rows.map((row) => row.cells.slice(1))).to.deep.equal(records);
      }),
      { numRuns: 300 },
    );
  });

  it('the example file has 300 people to import and names what it skips', () => {
    const { leads, skipped } = read(readFileSync('docs/examples/leads.csv', 'utf8'));
    expect(new Set(leads.map((lead) => lead.profileId ?? lead.email)).size).to.be.greaterThan(250);
    expect(skipped.length).to.be.greaterThan(3);
    for (const { line, message } of skipped) {
      expect(line).to.be.greaterThan(1);
      expect(message).to.be.a('string').and.not.be.empty;
    }
  });
});
