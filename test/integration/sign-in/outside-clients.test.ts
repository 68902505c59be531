import {
  Client as StatelessClient,
  StreamableHTTPClientTransport as StatelessTransport,
} from '@modelcontextprotocol/client';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as SessionClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as SessionTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'chai';
import * as oauth from 'oauth4webapi';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';
import { type Choice, Person } from '../../fixtures/sign-in/person.ts';

const READS: Choice = { workspaces: ['acme'], scopes: { workspace: 'read', campaigns: 'read' } };
const REDIRECT = 'http://127.0.0.1:33418/callback';

/** What a client of the official SDK keeps of its sign-in; the browser is a person of ours. */
function keeper(): OAuthClientProvider & { asked: URL | undefined } {
  const kept: Record<string, unknown> = {};
  return {
    asked: undefined as URL | undefined,
    redirectUrl: REDIRECT,
    clientMetadata: { client_name: 'Official SDK', redirect_uris: [REDIRECT] },
    state: () => 'a state of the client',
    clientInformation: () => kept['client'] as never,
    saveClientInformation(client) {
      kept['client'] = client;
    },
    tokens: () => kept['tokens'] as never,
    saveTokens(tokens) {
      kept['tokens'] = tokens;
    },
    redirectToAuthorization(url) {
      this.asked = url;
    },
    saveCodeVerifier(verifier) {
      kept['verifier'] = verifier;
    },
    codeVerifier: () => String(kept['verifier']),
    saveDiscoveryState(state) {
      kept['discovery'] = state;
    },
    discoveryState: () => kept['discovery'] as never,
  };
}

describe('sign-in by clients that others wrote', function () {
  this.timeout(120_000);
  let mcp: Harness;
  let person: Person;

  before(async () => {
    mcp = await startMcp({ signIn: { maxGrants: 50 } });
    await mcp.workspace('acme');
    person = await Person.signedIn(mcp, await mcp.user({ member: 'acme', role: 'owner' }));
  });
  after(() => mcp.stop());

  /** An access token that has ended, as half an hour later. */
  const endAccess = async (): Promise<void> => {
    await mcp.platform((tx) =>
      tx.exec(`update sign_in_token set expires_at = clock_timestamp() - interval '1 second' where kind = 'access'`),
    );
    mcp.server.forgetKeys();
  };

  for (const [name, Client, Transport] of [
    ['the official SDK', SessionClient, SessionTransport],
    ['the official SDK, version 2', StatelessClient, StatelessTransport],
  ] as const) {
    it(`${name}: finds everything by the address, signs in, calls, and renews by itself`, async () => {
      const authProvider = keeper();
      const open = () => new Transport(new URL(mcp.url), { authProvider: authProvider as never });
      const first = open();
      const refused = await new Client({ name: 'test', version: '1' }).connect(first as never).catch((e: Error) => e);
      expect(String(refused)).to.match(/unauthorized/i);
      const at = await person.allow(authProvider.asked ?? '', READS);
      expect(at.searchParams.get('state')).to.equal('a state of the client');
      if (name.endsWith('2')) await (first as StatelessTransport).finishAuth(at.searchParams);
      else await first.finishAuth(at.searchParams.get('code') ?? '');
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(open() as never);
      const who = await client.callTool({ name: 'svc_whoami', arguments: {} });
      expect(JSON.stringify(who.content)).to.contain('\\"keyType\\":\\"user\\"');
      const before = authProvider.tokens() as { access_token: string };
      await endAccess();
      const again = await client.callTool({ name: 'svc_list_campaigns', arguments: { workspaceId: 'acme' } });
      expect(again.isError ?? false).to.equal(false);
      expect((authProvider.tokens() as { access_token: string }).access_token).to.not.equal(before.access_token);
      await client.close();
    });
  }

  it('oauth4webapi, which holds each answer against the RFCs', async () => {
    const http = { [oauth.allowInsecureRequests]: true };
    const resource = new URL(mcp.url);
    const found = await oauth.resourceDiscoveryRequest(resource, http);
    const protectedBy = await oauth.processResourceDiscoveryResponse(resource, found);
    const issuer = new URL(protectedBy.authorization_servers?.[0] ?? '');
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...http }),
    );
    const registered = await oauth.dynamicClientRegistrationRequest(
      server,
      { client_name: 'Judge', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' },
      http,
    );
    const client = await oauth.processDynamicClientRegistrationResponse(registered);
    const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
    const url = new URL(server.authorization_endpoint ?? '');
    for (const [name, value] of Object.entries({
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: REDIRECT,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      resource: mcp.url,
    }))
      url.searchParams.set(name, value);
    const params = oauth.validateAuthResponse(server, client, await person.allow(url, READS), state);
    const authenticated = oauth.None();
    const tokens = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(server, client, authenticated, params, REDIRECT, verifier, http),
    );
    expect(tokens.token_type).to.equal('bearer');
    const renewed = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, authenticated, tokens.refresh_token ?? '', http),
    );
    expect(renewed.refresh_token).to.not.equal(tokens.refresh_token);
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, authenticated, renewed.refresh_token ?? '', http),
    );
    const ended = await oauth
      .protectedResourceRequest(renewed.access_token, 'POST', resource, new Headers(), '{}', http)
      .catch((error: unknown) => error);
    expect(ended).to.be.instanceOf(oauth.WWWAuthenticateChallengeError);
  });
});
