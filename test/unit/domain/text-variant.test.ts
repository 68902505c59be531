import { expect } from 'chai';
import fc from 'fast-check';
import { seedOf, variantOf } from '../../../pkg/domain/text-variant.ts';

describe('which wording the built-in writer chooses', () => {
  it('another one than the last whenever that was rejected, and the same one until then', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.string(), fc.nat(50), (runId, nodeId, times) => {
        const chosen = variantOf('writer', seedOf(runId, nodeId, times));
        expect(variantOf('writer', seedOf(runId, nodeId, times))).to.equal(chosen);
        expect(variantOf('writer', seedOf(runId, nodeId, times + 1))).to.not.equal(chosen);
      }),
    );
  });

  it('both of them over many leads', () => {
    const chosen = Array.from({ length: 200 }, (_, lead) => variantOf('writer', seedOf(`run-${lead}`, 'opener', 0)));
    expect(chosen.filter((one) => one === 0).length).to.be.within(60, 140);
  });
});
