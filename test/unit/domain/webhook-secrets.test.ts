import { expect } from 'chai';
import { OLD_SECRET_MS, rotateSecret, validSecrets } from '../../../pkg/domain/webhook-secrets.ts';

describe('secrets of a webhook', () => {
  it('two are valid for a day after a rotation, the newest first, and never three', () => {
    const first = rotateSecret({}, 'one', 1_000);
    expect(validSecrets(first, 1_000)).to.deep.equal(['one']);
    const second = rotateSecret(first, 'two', 1_000);
    expect(validSecrets(second, 1_000 + OLD_SECRET_MS - 1)).to.deep.equal(['two', 'one']);
    expect(validSecrets(second, 1_000 + OLD_SECRET_MS)).to.deep.equal(['two']);
    expect(validSecrets(rotateSecret(second, 'three', 2_000), 3_000)).to.deep.equal(['three', 'two']);
  });

  it('without a secret there is none', () => {
    expect(validSecrets({ url: 'https://x.example' }, 1)).to.deep.equal([]);
  });
});
