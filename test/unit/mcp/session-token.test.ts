import { expect } from 'chai';
import { SessionTokens } from '../../../pkg/mcp/sessions/session-token.ts';

const SESSION = { keyId: 'key-1', version: '2025-11-25', startedAt: 1_000 };

describe('session ids', () => {
  const tokens = new SessionTokens('a-secret-of-sixteen');

  it('say what they were made of, on any replica with the secret', () => {
    const read = new SessionTokens('a-secret-of-sixteen').read(tokens.issue(SESSION), 1_001);
    expect(read).to.deep.equal(SESSION);
  });

  it('are never equal', () => {
    expect(tokens.issue(SESSION)).to.not.equal(tokens.issue(SESSION));
  });

  it('are void when changed, cut, foreign or a day old', () => {
    const token = tokens.issue(SESSION);
    const [body = '', mac = ''] = token.split('.');
    const forged = Buffer.from(Buffer.from(body, 'base64url').toString().replace('key-1', 'key-2')).toString(
      'base64url',
    );
    for (const wrong of [`${forged}.${mac}`, body, `${body}.`, `${token}.x`, '', '.', 'x'.repeat(600)]) {
      expect(tokens.read(wrong, 1_001), wrong).to.equal(undefined);
    }
    expect(new SessionTokens('another-secret-here').read(token, 1_001)).to.equal(undefined);
    expect(tokens.read(token, 1_000 + 86_401)).to.equal(undefined);
  });
});
