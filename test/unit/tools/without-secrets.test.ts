import { expect } from 'chai';
import { SHOWN_ONCE, withoutSecrets } from '../../../pkg/tools/without-secrets.ts';

describe('a stored result', () => {
  it('has no secret: by name of the field, and an API key wherever it stands', () => {
    const key = `cs_${'0a'.repeat(16)}`;
    const result = {
      apiKeyId: 'id',
      key,
      keyPrefix: 'cs_0a0a',
      webhook: { signingSecret: 'hush', url: 'https://a.example' },
      hint: `Use csu_${'0b'.repeat(16)} now`,
      list: [{ accessToken: 'hush' }, key],
    };
    const stored = withoutSecrets(result);
    expect(stored).to.deep.equal({
      apiKeyId: 'id',
      key: SHOWN_ONCE,
      keyPrefix: 'cs_0a0a',
      webhook: { signingSecret: SHOWN_ONCE, url: 'https://a.example' },
      hint: `Use ${SHOWN_ONCE} now`,
      list: [{ accessToken: SHOWN_ONCE }, SHOWN_ONCE],
    });
    expect(JSON.stringify(stored)).to.not.contain('hush').and.not.contain('0a0a0a0a');
  });

  it('keeps everything else as it is, in the same order', () => {
    const result = { zeta: 1, alpha: null, list: [true, 'x', { b: 1, a: 2 }], nextCursor: null, tokenCount: 5 };
    expect(JSON.stringify(withoutSecrets(result))).to.equal(JSON.stringify(result));
  });
});
