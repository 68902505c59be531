import { expect } from 'chai';
import { SharedValues } from '../../../pkg/kube/shared-values.ts';

describe('shared values', () => {
  it('equal JSON values are one, whatever the order of their keys', () => {
    const shared = new SharedValues();
    const first = shared.value({ a: 1, b: ['x'] });
    expect(shared.value({ b: ['x'], a: 1 })).equal(first);
    expect(shared.value({ a: 2, b: ['x'] })).not.equal(first);
  });

  it('texts within a value stay what they are, at every depth', () => {
    const value = { a: 'x', b: [{ c: 'y', d: 1, e: null }], f: ['z', 'x'.repeat(5_000)] };
    const same = structuredClone(value);
    expect(new SharedValues().within(value)).eql(same);
  });

  it('remembers a bounded number and goes on', () => {
    const shared = new SharedValues();
    for (let at = 0; at < 12_000; at++) expect(shared.value([at])).eql([at]);
    const last = shared.value([11_999]);
    expect(shared.value([11_999])).equal(last);
  });
});
