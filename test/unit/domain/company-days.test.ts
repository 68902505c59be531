import { expect } from 'chai';
import { CompanyDays } from '../../../pkg/domain/company-days.ts';

const HOUR = 3_600_000;
/** Friday noon in Berlin, summer time begins on Sunday. */
const FRIDAY = Date.UTC(2026, 2, 27, 11);
const contact = (personId: string, at: number): { company: string; personId: string; at: number } => ({
  company: 'acme',
  personId,
  at,
});
const limit = (personId: string, company = 'acme'): { company: string; personId: string; most: number } => ({
  company,
  personId,
  most: 2,
});

describe('people of a company per day', () => {
  it('a full date is passed over to the next midnight that has room, in the zone of the workspace', () => {
    const full = [
      contact('a', FRIDAY),
      contact('b', FRIDAY),
      contact('c', FRIDAY + 24 * HOUR),
      contact('d', FRIDAY + 25 * HOUR),
    ];
    const days = new CompanyDays('Europe/Berlin', full);
    expect(days.nextRoom(limit('e'), FRIDAY)).to.equal(Date.UTC(2026, 2, 28, 23));
    expect(days.nextRoom(limit('e', 'other'), FRIDAY)).to.equal(FRIDAY);
  });

  it('who is contacted on a date counts once on it, and may be contacted again', () => {
    const days = new CompanyDays('UTC', [contact('a', FRIDAY), contact('a', FRIDAY + HOUR)]);
    expect(days.nextRoom(limit('b'), FRIDAY)).to.equal(FRIDAY);
    days.add(contact('b', FRIDAY));
    expect(days.nextRoom(limit('a'), FRIDAY + 2 * HOUR)).to.equal(FRIDAY + 2 * HOUR);
    expect(days.nextRoom(limit('c'), FRIDAY)).to.equal(Date.UTC(2026, 2, 28));
  });
});
