import { expect } from 'chai';
import { tally } from '../../../pkg/engine/loop/tally.ts';

describe('steps of a batch', () => {
  it('are counted by node type and result, whatever their order', () => {
    const step = (nodeType: string, result: string) => ({ nodeType, result });
    const steps = [step('a', 'x'), step('a', 'x'), step('a', 'y'), step('b', 'x'), step('a', 'x')];
    expect(tally(steps)).to.deep.equal([
      { nodeType: 'a', result: 'x', times: 3 },
      { nodeType: 'a', result: 'y', times: 1 },
      { nodeType: 'b', result: 'x', times: 1 },
    ]);
  });

  it('are nothing for an empty batch', () => expect(tally([])).to.deep.equal([]));
});
