import { expect } from 'chai';
import { shownName } from '../../../pkg/mcp/sign-in/client-metadata.ts';
import { answerAt, formTargetOf, matchesRedirect, redirectProblem } from '../../../pkg/mcp/sign-in/redirect-uris.ts';
import { isOwnResource, signInAddress } from '../../../pkg/mcp/sign-in/sign-in-address.ts';

const asking = (host: string) => ({ headers: { host } }) as never;

describe('addresses of the sign-in', () => {
  for (const uri of [
    'https://claude.ai/api/mcp/auth_callback',
    'http://127.0.0.1/callback',
    'http://localhost:33418/',
    'http://[::1]:1/x',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'com.example.app:/oauth',
  ]) {
    it(`${uri} may be registered`, () => expect(redirectProblem(uri)).to.equal(undefined));
  }

  for (const uri of [
    'http://127.0.0.1.evil.example/cb',
    'http://127.0.0.1@evil.example/cb',
    'https://',
    'https://a\\b/',
    "https://a';/x",
    'https://a,b/x',
    'file:///etc/passwd',
    'search-ms:query=x',
    'vbscript:x',
    'blob:https://chat.example/x',
    'https://chat.example/ä',
  ]) {
    it(`${uri} may not`, () => expect(redirectProblem(uri)).to.be.a('string'));
  }

  it('two are one only where nothing but the port of the own machine differs', () => {
    expect(matchesRedirect('http://127.0.0.1:1/x?a=1', 'http://127.0.0.1:2/x?a=1')).to.equal(true);
    expect(matchesRedirect('http://127.0.0.1/x', 'http://127.0.0.1:99999/x')).to.equal(false);
    expect(matchesRedirect('http://127.0.0.1/x', 'http://[::1]/x')).to.equal(false);
    expect(matchesRedirect('https://chat.example/x', 'https://chat.example:444/x')).to.equal(false);
  });

  it('an answer leaves the query of the address as it was written', () => {
    expect(answerAt('https://a.example/x?b=%2F', { code: 'c d', state: undefined })).to.equal(
      'https://a.example/x?b=%2F&code=c+d',
    );
    expect(answerAt('https://a.example/x', { state: '&=#' })).to.equal('https://a.example/x?state=%26%3D%23');
  });

  it('the policy of a page names the place of the answer alone', () => {
    expect(formTargetOf('https://a.example:8443/x?y')).to.equal('https://a.example:8443');
    expect(formTargetOf('cursor://x/y')).to.equal('cursor:');
  });

  it('the public address is the one that is set, never that of a Host', () => {
    const set = 'https://outrider.example';
    expect(signInAddress(asking('evil.example'), set)).to.equal(set);
    expect(signInAddress(asking('127.0.0.1:7420'), set)).to.equal(set);
    expect(signInAddress(asking('evil.example'), undefined)).to.equal(undefined);
    expect(signInAddress(asking('evil.example'), 'http://127.0.0.1:7420')).to.equal(undefined);
    expect(signInAddress(asking('localhost:7420'), 'http://127.0.0.1:7420')).to.equal('http://localhost:7420');
    expect(signInAddress(asking('127.0.0.1.evil.example'), undefined)).to.equal(undefined);
  });

  it('tokens are for this server, however a client narrows its list of tools', () => {
    const own = (named: string): boolean => isOwnResource(named, 'https://outrider.example');
    expect(own('https://outrider.example/mcp?toolsets=leads')).to.equal(true);
    expect(own('https://outrider.example')).to.equal(true);
    for (const foreign of [
      'https://outrider.example/other',
      'http://outrider.example/mcp',
      'https://x@outrider.example/mcp',
      'mcp',
    ])
      expect([foreign, own(foreign)]).to.deep.equal([foreign, false]);
  });

  it('a name is one line that nothing turns round or hides in', () => {
    expect(shownName('A\u202e\u200bB\n\tC\u0000')).to.equal('A B C');
    expect(shownName(`Z${'\u0301'.repeat(50)}`).length).to.be.lessThan(5);
    expect(shownName('x'.repeat(500))).to.have.length(80);
    expect(shownName('\u200b')).to.equal('');
  });
});
