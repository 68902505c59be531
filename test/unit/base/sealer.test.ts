import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { z } from 'zod';
import { parseEnv } from '../../../pkg/base/config.ts';
import { Sealer } from '../../../pkg/base/sealer.ts';
import { sealerOf, sealingEnv } from '../../../pkg/base/sealing-env.ts';

/** As 0.1 and 0.2 sealed. */
function sealedBefore(key: string, text: string, owner: string): Buffer {
  const nonce = randomBytes(12);
  const secret = Buffer.from(hkdfSync('sha256', key, '', 'outrider sealed secrets', 32));
  const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(Buffer.from(owner));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.from([1]), nonce, cipher.getAuthTag(), body]);
}

describe('sealed secrets', () => {
  const key = 'an installation key of 32 characters';
  const next = 'the next key, which has 32 characters';
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

  it('a mark tells what is the same, and nothing without the key; one under a key before is told beside it', () => {
    const [mark] = sealer.marks('a calendar');
    expect(sealer.marks('a calendar')[0]).to.deep.equal(mark);
    expect(sealer.marks('another')[0]).to.not.deep.equal(mark);
    const [own, before] = new Sealer(next, [key]).marks('a calendar');
    expect([own.equals(mark), before?.equals(mark)]).to.deep.equal([false, true]);
  });

  it('never look alike, do not show their text, and need a long key', () => {
    const [first, second] = [sealer.seal('a token', 'x'), sealer.seal('a token', 'x')];
    expect(first.equals(second)).to.equal(false);
    expect(first.toString('latin1')).not.to.contain('a token');
    expect(() => new Sealer('short')).to.throw('32 characters');
    expect(() => new Sealer(key, ['short'])).to.throw('OUTRIDER_SECRETS_OLD_KEYS');
  });

  it('of the versions before, which name no key, still open, by an old key too', () => {
    const sealed = sealedBefore(key, 'a token', 'x');
    expect(sealer.open(sealed, 'x')).to.equal('a token');
    expect(new Sealer(next, [key]).open(sealed, 'x')).to.equal('a token');
    expect(() => new Sealer(next).open(sealed, 'x')).to.throw('does not open');
  });

  it('while there is one key, are such as the version before opens', () => {
    expect(sealer.seal('a token', 'x')[0]).to.equal(1);
  });

  it('with old keys, name the key that sealed them, which opens them in any place of the setting', () => {
    const rotated = new Sealer(next, [key]);
    const sealed = rotated.seal('a token', 'x');
    expect(sealed.subarray(0, 5).toString('hex')).to.equal(`02${rotated.keyId}`);
    expect(new Sealer(key, [next]).open(sealed, 'x')).to.equal('a token');
    expect(new Sealer(next).open(sealed, 'x'), 'after the old key is gone').to.equal('a token');
    expect(() => sealer.open(sealed, 'x')).to.throw(`key ${rotated.keyId}`);
    // The name of the key is bound to the secret, and tells nothing of the key.
    const renamed = Buffer.from(sealed);
    renamed.write(sealer.keyId, 1, 'hex');
    expect(() => new Sealer(next, [key]).open(renamed, 'x')).to.throw('does not open');
    expect(rotated.keyId).to.match(/^[0-9a-f]{8}$/);
    expect(Buffer.from(next).toString('hex')).not.to.contain(rotated.keyId);
  });

  it('are known by the key that sealed them', () => {
    const rotated = new Sealer(next, [key]);
    expect(rotated.sealedBy(rotated.seal('a', 'x'), 'x')).to.equal('current');
    expect(rotated.sealedBy(new Sealer(next).seal('a', 'x'), 'x')).to.equal('current');
    expect(rotated.sealedBy(sealer.seal('a', 'x'), 'x')).to.equal('old');
    expect(rotated.sealedBy(sealer.seal('a', 'x'), 'y')).to.equal('unknown');
    expect(rotated.sealedBy(new Sealer(`${key}!`).seal('a', 'x'), 'x')).to.equal('unknown');
    expect(() => rotated.sealedBy(Buffer.alloc(40, 9), 'x')).to.throw('not a sealed secret');
  });
});

describe('keys of sealed secrets in the environment', () => {
  const key = 'k'.repeat(32);
  const read = (env: Record<string, string>) => sealerOf(parseEnv(z.object(sealingEnv), env));

  it('are one that seals, and old ones, one a line', () => {
    expect(read({})).to.equal(undefined);
    const lines = `${'a, key with a comma'.padEnd(32)}\r\n${'b'.repeat(32)}\n`;
    const sealer = read({ OUTRIDER_SECRETS_KEY: key, OUTRIDER_SECRETS_OLD_KEYS: lines });
    for (const old of ['a, key with a comma'.padEnd(32), 'b'.repeat(32)])
      expect(sealer?.open(new Sealer(old).seal('x', 'o'), 'o')).to.equal('x');
    expect(read({ OUTRIDER_SECRETS_KEY: key, OUTRIDER_SECRETS_OLD_KEYS: '' })?.seal('x', 'o')[0]).to.equal(1);
  });

  it('that are wrong are refused, and not repeated', () => {
    const wrong = (env: Record<string, string>): string => {
      try {
        read(env);
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(wrong({ OUTRIDER_SECRETS_OLD_KEYS: key })).to.match(/set OUTRIDER_SECRETS_KEY/);
    const short = wrong({ OUTRIDER_SECRETS_KEY: key, OUTRIDER_SECRETS_OLD_KEYS: 'hush' });
    expect(short).to.match(/OUTRIDER_SECRETS_OLD_KEYS.*each line is a key of at least 32/);
    expect(short).not.to.contain('hush');
    const many = Array.from({ length: 9 }, (_, at) => String(at).repeat(32)).join('\n');
    expect(wrong({ OUTRIDER_SECRETS_KEY: key, OUTRIDER_SECRETS_OLD_KEYS: many })).to.match(/at most 8 keys/);
  });
});
