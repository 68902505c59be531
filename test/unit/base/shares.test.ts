import { expect } from 'chai';
import { Shares } from '../../../pkg/base/shares.ts';

const of = (...holders: string[]): { holders: string[] } => ({ holders });

describe('shares', () => {
  it('nobody has more than he may, and what several hold together counts for each of them', () => {
    const shares = new Shares(100, (holder) => (holder === 'small' ? 5 : 100));
    expect(shares.allows(of('a', 'small'), 6)).to.equal(false);
    expect(shares.allows(of('a', 'small'), 5)).to.equal(true);
    shares.add(of('a', 'small'), 5);
    expect([shares.left, shares.allows(of('b', 'small'), 1), shares.allows(of('a'), 95)]).to.deep.equal([
      95,
      false,
      true,
    ]);
    shares.add(of('a', 'small'), -5);
    expect([shares.left, shares.allows(of('b', 'small'), 5)]).to.deep.equal([100, true]);
  });

  it('however many have filled all that there is, the next one gets half of what they have each, from those who have most', () => {
    for (let fillers = 1; fillers <= 50; fillers++) {
      const shares = new Shares(1_000, () => 1_000);
      const parts = Array.from({ length: 1_000 }, (_, at) => of(`user ${at % fillers}`));
      for (const part of parts) shares.add(part, 1);
      const newcomer = of('newcomer');
      let got = 0;
      for (let open = true; open; ) {
        shares.add(newcomer, 1);
        const other = shares.inFavourOf(newcomer, parts);
        shares.add(other ?? newcomer, -1);
        if (other) {
          parts.splice(parts.indexOf(other), 1);
          got++;
        } else open = false;
      }
      expect(shares.left).to.equal(0);
      expect(got, `${fillers} fillers`).to.be.at.least(Math.floor(1_000 / (2 * fillers + 1)) - 1);
    }
  });

  it('who has twice as much as another gives nothing to him, so that equals do not end each other', () => {
    const shares = new Shares(6, () => 6);
    shares.add(of('a'), 4);
    shares.add(of('b'), 2);
    expect(shares.inFavourOf(of('b'), [of('a'), of('b')])).to.equal(undefined);
    expect(shares.inFavourOf(of('c'), [of('b'), of('a')])).to.deep.equal(of('a'));
  });
});
