import { expect } from 'chai';
import { Sealer } from '../../../pkg/base/sealer.ts';

describe('sealed secrets', () => {
  const key = 'an installation key of 32 characters';
  const sealer = new Sealer(key);

  it('open under the same key for the same owner, and nowhere else', () => {
    const sealed = sealer.seal('a token', 'integration:1');
    expect(sealer.open(sealed, 'integration:1')).to.equal('a token');
    expect(new Sealer(key).open(sealed, 'integration:1')).to.equal('a token');
    expect(() => sealer.open(sealed, 'integration:2')).to.throw('integration:2');
    expect(() => new Sealer(`${key}!`).open(sealed, 'integration:1')).to.throw('OUTRIDER_SECRETS_KEY');
    const changed = Buffer.from(sealed);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    expect(() => sealer.open(changed, 'integration:1')).to.throw();
    expect(() => sealer.open(Buffer.from('plain'), 'integration:1')).to.throw('not a sealed secret');
  });

  it('never look alike, do not show their text, and need a long key', () => {
    const [first, second] = [sealer.seal('a token', 'x'), sealer.seal('a token', 'x')];
    expect(first.equals(second)).to.equal(false);
    expect(first.toString('latin1')).not.to.contain('a token');
    expect(() => new Sealer('short')).to.throw('32 characters');
  });
});
