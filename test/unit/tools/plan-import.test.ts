import { expect } from 'chai';
import type { ExistingLead, ImportLead } from '../../../pkg/store/leads/imports.ts';
import { planImport } from '../../../pkg/tools/leads/csv/plan-import.ts';

const row = (line: number, given: Partial<ImportLead>): ImportLead => ({
  id: `new-${line}`,
  line,
  firstName: '',
  lastName: '',
  fullName: '',
  headline: '',
  title: '',
  seniority: '',
  company: '',
  companyKey: '',
  companyDomain: '',
  industry: '',
  companySize: '',
  location: '',
  country: '',
  timezone: '',
  profileUrl: '',
  profileId: null,
  email: null,
  phone: '',
  customFields: {},
  matchKeys: [],
  ...given,
});
const there = (id: string, given: Partial<ExistingLead>): ExistingLead => ({
  id,
  profile_url: '',
  email: null,
  full_name: '',
  company: '',
  company_domain: '',
  ...given,
});
const ANN = { fullName: 'Ann Lee', company: 'Acme GmbH' };
const OLD_ANN = { full_name: 'Ann Lee', company: 'ACME' };

describe('who an imported row is', () => {
  it('is found by profile or mail', () => {
    const rows = [row(2, { profileId: 'ann' }), row(3, { email: 'bob@b.example' }), row(4, { profileId: 'cy' })];
    const plan = planImport(
      rows,
      [there('a', { profile_url: 'ann' }), there('b', { email: 'bob@b.example' })],
      'fill_empty',
    );
    expect(plan.merge.map((lead) => lead.id)).to.deep.equal(['a', 'b']);
    expect(plan.create.map((lead) => lead.line)).to.deep.equal([4]);
    expect(plan.leadIds).to.deep.equal(['a', 'b', 'new-4']);
  });

  it('is found by name and company where the row has nothing better', () => {
    const plan = planImport([row(2, ANN)], [there('a', { ...OLD_ANN, email: 'ann@acme.example' })], 'fill_empty');
    expect(plan.merge.map((lead) => lead.id)).to.deep.equal(['a']);
  });

  it('a lead known by name and company only gets the mail of its row', () => {
    const plan = planImport([row(2, { ...ANN, email: 'ann@acme.example' })], [there('a', OLD_ANN)], 'fill_empty');
    expect(plan.merge.map((lead) => lead.id)).to.deep.equal(['a']);
  });

  it('namesakes at one company with different addresses are two people', () => {
    const plan = planImport(
      [row(2, { ...ANN, email: 'ann.lee2@acme.example' })],
      [there('a', { ...OLD_ANN, email: 'ann@acme.example' })],
      'fill_empty',
    );
    expect(plan.create).to.have.length(1);
  });

  it('a name that several leads have decides nothing', () => {
    const namesakes = [
      there('a', { ...OLD_ANN, email: 'a@a.example' }),
      there('b', { ...OLD_ANN, email: 'b@a.example' }),
    ];
    const plan = planImport([row(2, ANN)], namesakes, 'fill_empty');
    expect(plan.problems).to.deep.equal([
      { row: 2, field: null, message: 'several leads have this name and company: add a mail address or profile' },
    ]);
  });

  it('a row whose mail and profile belong to two leads is named, neither is changed', () => {
    const leads = [there('a', { profile_url: 'ann' }), there('b', { email: 'bob@b.example' })];
    const plan = planImport([row(2, { profileId: 'ann', email: 'bob@b.example' })], leads, 'overwrite');
    expect(plan.problems[0]?.message).to.match(/two different leads/);
    expect([...plan.merge, ...plan.create]).to.deep.equal([]);
  });

  it('names the line of a duplicate in the file, also over three rows', () => {
    const rows = [
      row(2, { profileId: 'ann' }),
      row(5, { profileId: 'ann', email: 'ann@a.example' }),
      row(7, { email: 'ann@a.example' }),
    ];
    const plan = planImport(rows, [], 'fill_empty');
    expect(plan.create).to.have.length(1);
    expect(plan.problems).to.deep.equal([
      { row: 5, field: null, message: 'the same person as line 2' },
      { row: 7, field: null, message: 'the same person as line 2' },
    ]);
  });

  it('skip leaves known leads as they are, and still puts them on the list', () => {
    const plan = planImport([row(2, { profileId: 'ann' })], [there('a', { profile_url: 'ann' })], 'skip');
    expect(plan.merge).to.deep.equal([]);
    expect(plan.leadIds).to.deep.equal(['a']);
    expect(plan.problems[0]?.message).to.equal('already in the workspace (onDuplicate is skip)');
  });

  it('a shared mailbox proves nobody: another name there is named, the same name is found', () => {
    const office = there('a', { ...OLD_ANN, email: 'info@acme.example' });
    const rows = [
      row(2, { fullName: 'Bob Ray', company: 'Acme', email: 'info@acme.example' }),
      row(3, { ...ANN, email: 'info@acme.example' }),
    ];
    const plan = planImport(rows, [office], 'fill_empty');
    expect(plan.problems).to.deep.equal([
      { row: 2, field: 'email', message: 'its mail address is a shared mailbox that another lead has already' },
    ]);
    expect(plan.merge.map((lead) => lead.id)).to.deep.equal(['a']);
  });

  it('is found under other spellings of name, company and address', () => {
    const known = there('a', { full_name: 'Jörg Müller', company: 'Weber & Söhne GmbH & Co. KG' });
    const rows = [
      row(2, { fullName: 'Dr. Joerg Mueller', company: 'Weber und Soehne', email: 'joerg+crm@weber.example' }),
      row(3, { fullName: 'J. M.', email: 'JOERG@weber.example' }),
    ];
    const plan = planImport(rows, [known], 'fill_empty');
    expect(plan.merge.map((lead) => lead.line)).to.deep.equal([2]);
    expect(plan.problems.map((problem) => problem.row)).to.deep.equal([3]);
  });
});
