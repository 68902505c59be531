import { expect } from 'chai';
import { rangeOf } from '../../../pkg/mcp/byte-range.ts';

describe('byte ranges (RFC 9110, 14.2)', () => {
  for (const [header, expected] of [
    [undefined, null],
    ['bytes=0-0', { from: 0, to: 0 }],
    ['bytes=5-', { from: 5, to: 9 }],
    ['bytes=5-100', { from: 5, to: 9 }],
    ['bytes=-3', { from: 7, to: 9 }],
    ['bytes=-30', { from: 0, to: 9 }],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=10-', 'unsatisfiable'],
    // No range, or several: the whole.
    ['bytes=5-4', null],
    ['bytes=-', null],
    ['bytes=0-1,3-4', null],
    ['lines=0-1', null],
    ['bytes=1e3-', null],
  ] as const)
    it(`${header} of ten bytes`, () => expect(rangeOf(header, 10)).to.deep.equal(expected));
});
