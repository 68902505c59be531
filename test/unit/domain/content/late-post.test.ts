import { expect } from 'chai';
import { startOfPost } from '../../../../pkg/domain/content/late-post.ts';

const HOUR = 3_600_000;
/** A Monday. */
const NINE = Date.UTC(2026, 2, 2, 9);
const hours = { timezoneMode: 'account', days: [1, 2, 3, 4, 5], startHour: 9, endHour: 18 } as const;
const due = (plannedFor: number, now: number, lastPostAt: number | null = null): number | null =>
  startOfPost({ plannedFor, now, lastPostAt, hours, timezone: 'UTC' });

describe('content: missed windows, and no burst (C6)', () => {
  it('on time it goes out whatever the hours say', () => {
    const night = NINE - 5 * HOUR;
    expect(due(night, night + 60_000, night)).to.equal(night + 60_000);
  });
  it('late it waits for the hours of its account', () => {
    expect(due(NINE - 3 * HOUR, NINE - HOUR)).to.equal(NINE);
  });
  it('more than six hours late it is missed, and so it is where the hours open too late', () => {
    expect(due(NINE, NINE + 6 * HOUR)).to.equal(NINE + 6 * HOUR);
    expect(due(NINE, NINE + 6 * HOUR + 1)).to.equal(null);
    expect(due(NINE - 7 * HOUR, NINE - HOUR)).to.equal(null);
  });
  it('a backlog goes out one post an hour', () => {
    expect(due(NINE, NINE + HOUR, NINE + HOUR)).to.equal(NINE + 2 * HOUR);
  });
});
