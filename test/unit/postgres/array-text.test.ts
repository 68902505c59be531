import { expect } from 'chai';
import { arrayText } from '../../../pkg/postgres/array-text.ts';

describe('array text', () => {
  for (const [values, text] of [
    [[], '{}'],
    [['n0', 'flow:wait', 'a.b_c-d'], '{n0,flow:wait,a.b_c-d}'],
    [[1, -5, 9_007_199_254_740_991, null], '{1,-5,9007199254740991,NULL}'],
    [['', 'null', 'NULL', null], '{"","null","NULL",NULL}'],
    [['a b', 'a,b', '{x}', 'say "hi"', 'back\\slash'], '{"a b","a,b","{x}","say \\"hi\\"","back\\\\slash"}'],
  ] as const) {
    it(`${JSON.stringify(values)} is ${text}`, () => expect(arrayText(values)).to.equal(text));
  }
});
