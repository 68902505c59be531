import { expect } from 'chai';
import { BatchSize } from '../../../pkg/engine/loop/batch-size.ts';

describe('the size of a batch', () => {
  it('grows while batches are full and quick, up to 1,000 runs', () => {
    const size = new BatchSize();
    const first = size.runs;
    size.learn(first, 499);
    expect(size.runs).to.equal(2 * first);
    for (let times = 0; times < 10; times++) size.learn(size.runs, 10);
    expect(size.runs).to.equal(1_000);
  });

  it('stays after a batch that was not full, or not quick', () => {
    const size = new BatchSize();
    const first = size.runs;
    size.learn(first - 1, 10);
    size.learn(first, 500);
    size.learn(first, 1_000);
    expect(size.runs).to.equal(first);
  });

  it('shrinks after slow batches, down to one run', () => {
    const size = new BatchSize();
    const first = size.runs;
    size.learn(1, 1_001);
    expect(size.runs).to.equal(first / 2);
    for (let times = 0; times < 10; times++) size.learn(1, 1_001);
    expect(size.runs).to.equal(1);
  });
});
