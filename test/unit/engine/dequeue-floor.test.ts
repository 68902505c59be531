import { expect } from 'chai';
import { DequeueFloor } from '../../../pkg/engine/loop/dequeue-floor.ts';

const runs = (...times: number[]): { dueAt: number }[] => times.map((dueAt) => ({ dueAt }));

describe('claim floor', () => {
  it('a full claim is followed by those that begin where it came to, one that was not full by one that begins at the beginning', () => {
    const floor = new DequeueFloor();
    expect(floor.next(null)).to.equal(null);
    floor.found(null, runs(1, 2, 3), 3);
    expect(floor.next(null)).to.equal(3);
    floor.found(null, runs(3, 9), 2);
    expect(floor.next(null)).to.equal(9);
    floor.found(null, runs(9), 2);
    expect(floor.next(null)).to.equal(null);
  });

  it('lanes have floors of their own', () => {
    const floor = new DequeueFloor();
    floor.found(0, runs(5), 1);
    floor.found(1, runs(7), 1);
    expect([floor.next(0), floor.next(1), floor.next(null)]).to.deep.equal([5, 7, null]);
  });

  it('in a backlog without end at least every eighth claim begins at the beginning, whatever the others find', () => {
    const floor = new DequeueFloor();
    const begins: boolean[] = [];
    for (let claim = 1; claim <= 64; claim++) {
      begins.push(floor.next(null) === null);
      floor.found(null, runs(claim), 1);
    }
    for (let claim = 0; claim + 8 <= begins.length; claim++)
      expect(begins.slice(claim, claim + 8), `${claim}`).to.contain(true);
  });

  it('two claims side by side share a floor and count together', () => {
    const floor = new DequeueFloor();
    floor.found(null, runs(1), 1);
    const begins = Array.from({ length: 16 }, () => floor.next(null) === null);
    expect(begins.filter(Boolean)).to.have.length(2);
  });
});
