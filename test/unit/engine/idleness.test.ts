import { expect } from 'chai';
import { Idleness } from '../../../pkg/engine/loop/idleness.ts';

const LONG = 60_000;

describe('an executor with nothing to do', () => {
  let now: number;
  let told: boolean[];
  let givenBack: number;
  let idleness: Idleness;
  beforeEach(() => {
    now = 0;
    told = [];
    givenBack = 0;
    idleness = new Idleness(
      async (idle) => void told.push(idle),
      () => givenBack++,
      () => now,
    );
  });

  it('says so after a second, once, and again when it has worked', async () => {
    await idleness.rests(LONG);
    expect(told).to.deep.equal([]);
    now = 1_001;
    await idleness.rests(LONG);
    await idleness.rests(LONG);
    expect(told).to.deep.equal([true]);
    await idleness.worked();
    expect(told).to.deep.equal([true, false]);
    now = 2_003;
    await idleness.rests(LONG);
    expect(told).to.deep.equal([true, false, true]);
  });

  it('is not idle while something is open', async () => {
    now = 10_000;
    idleness.waiting();
    await idleness.rests(LONG);
    expect({ told, givenBack }).to.deep.equal({ told: [], givenBack: 0 });
  });

  it('says it again when the operator could not be told', async () => {
    let fails = true;
    const one = new Idleness(
      async (idle) => {
        if (fails) throw new Error('away');
        told.push(idle);
      },
      () => undefined,
      () => now,
    );
    now = 1_001;
    await one.rests(LONG).catch(() => undefined);
    fails = false;
    await one.rests(LONG);
    expect(told).to.deep.equal([true]);
  });

  it('gives memory back after five seconds, once for each rest', async () => {
    now = 5_000;
    await idleness.rests(LONG);
    expect(givenBack).to.equal(0);
    now = 5_001;
    await idleness.rests(LONG);
    await idleness.rests(LONG);
    expect(givenBack).to.equal(1);
    await idleness.worked();
    now = 10_100;
    await idleness.rests(LONG);
    expect(givenBack).to.equal(2);
  });

  it('does not hold up what is due in a moment for that', async () => {
    now = 6_000;
    await idleness.rests(999);
    expect(givenBack).to.equal(0);
    await idleness.rests(1_000);
    expect(givenBack).to.equal(1);
  });
});
