import { expect } from 'chai';
import { holdsCredentials, isThisMachine } from '../../../pkg/base/this-machine.ts';

describe('base: addresses of this machine', () => {
  for (const url of [
    'http://localhost',
    'https://127.0.0.1:8443/x',
    'http://[::1]:1/',
    'http://127.1/',
    'http://LOCALHOST/',
  ])
    it(`${url} is this machine`, () => expect(isThisMachine(url)).to.equal(true));

  for (const url of [
    'https://localhost:80@other.example/',
    'http://127.0.0.1:1@other.example:80/hook',
    'http://[::1]@other.example',
    'https://localhost.other.example/',
    'https://other.example/?http://localhost/',
    'https://localhost%2f@other.example/',
  ])
    it(`${url} is another one`, () => expect(isThisMachine(url)).to.equal(false));

  it('a text that is no address leads nowhere and holds nothing', () => {
    expect(
      ['', 'localhost', 'http://'].flatMap((text) => [isThisMachine(text), holdsCredentials(text)]),
    ).to.not.include(true);
  });

  it('a name or a password before the host is seen', () => {
    expect(
      ['https://a@b.example', 'https://a:b@c.example', 'https://:b@c.example'].map(holdsCredentials),
    ).to.deep.equal([true, true, true]);
    expect(['https://b.example/@x', 'https://b.example/?u=a:b@c'].map(holdsCredentials)).to.deep.equal([false, false]);
  });
});
