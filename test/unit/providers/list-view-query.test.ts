import { expect } from 'chai';
import { viewQuery } from '../../../pkg/providers/crm/list-view-query.ts';

describe('the query of a list view', () => {
  it('is read into object, scope and condition', () => {
    const text =
      "SELECT Name, Id FROM Contact  USING SCOPE mine WHERE City = 'Köln' ORDER BY Name ASC NULLS FIRST, Id ASC";
    expect(viewQuery(text)).to.deep.equal({ object: 'Contact', scope: ' USING SCOPE mine', where: "City = 'Köln'" });
    expect(viewQuery('SELECT Id FROM Lead ORDER BY Id')).to.deep.equal({ object: 'Lead', scope: '', where: '' });
    expect(viewQuery('SELECT Id\nFROM Lead')).to.deep.equal({ object: 'Lead', scope: '', where: '' });
    expect(viewQuery('SELECT Id FROM Lead LIMIT 5')).to.equal(null);
    expect(viewQuery('nothing')).to.equal(null);
  });

  it('keeps literals and inner queries of the condition as they are', () => {
    const where = "Name = 'it\\'s  ORDER BY me' AND AccountId IN (SELECT Id FROM Account WHERE X = 1 ORDER BY Id)";
    const text = `SELECT Id, (SELECT Id FROM Cases) FROM Contact WHERE ${where} ORDER BY Id`;
    expect(viewQuery(text)).to.deep.equal({ object: 'Contact', scope: '', where });
  });

  // The pattern before took the cube of the blanks: this test did not end.
  it('takes one pass, however long the blanks are, and refuses a query of a megabyte', () => {
    expect(viewQuery(`SELECT Id FROM Lead WHERE a = 1${' ORDER'.repeat(1_500)}${' '.repeat(9_000)}x`)?.object).to.equal(
      'Lead',
    );
    expect(viewQuery(`SELECT Id FROM Lead WHERE a${' '.repeat(19_000)}b`)?.where).to.have.length(19_002);
    expect(viewQuery(`SELECT Id FROM Lead WHERE ${' '.repeat(1_000_000)}`)).to.equal(null);
  });
});
