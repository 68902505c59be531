import { expect } from 'chai';
import { systemIds } from '../../../pkg/base/ids.ts';
import { ConsoleClient } from '../../fixtures/console/console-client.ts';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';

const LIST = '/console/api/sessions';
const END = '/console/api/sessions/end';

interface Session {
  sessionId: string;
  way: string;
  signedInAt: string;
  seenAt: string;
  current: boolean;
}

describe('sessions of the console, as who has them sees them', () => {
  let mcp: Harness;

  before(async () => {
    mcp = await startMcp({ ingressUrl: 'https://in.agency.example/hooks' });
    await mcp.workspace('acme');
  });
  after(() => mcp?.stop());

  const sessionsOf = async (client: ConsoleClient): Promise<Session[]> =>
    (await client.ask(LIST)).json['sessions'] as Session[];

  it('are all that are open, and which one it is that asks', async () => {
    const userId = await mcp.user({ member: 'acme' });
    const [one, other] = [await ConsoleClient.signedIn(mcp, userId), await ConsoleClient.signedIn(mcp, userId)];
    await ConsoleClient.signedIn(mcp, await mcp.user({ member: 'acme' }));
    const [seenByOne, seenByOther] = [await sessionsOf(one), await sessionsOf(other)];
    expect(seenByOne).to.have.length(2);
    expect(seenByOne.filter(({ current }) => current)).to.have.length(1);
    const own = seenByOne.find(({ current }) => current);
    expect(own).to.include({ way: 'mail' });
    expect(Date.parse(own?.signedInAt ?? '')).to.be.closeTo(Date.now(), 60_000);
    expect(seenByOther.find(({ current }) => current)?.sessionId).to.not.equal(own?.sessionId);
    expect(JSON.stringify(seenByOne), 'what a cookie holds is nowhere').to.not.contain(one.cookie?.split('=')[1]);
  });

  it('end when their user ends them, and only then: another one ends nobody’s', async () => {
    const userId = await mcp.user({ member: 'acme' });
    const [here, lost] = [await ConsoleClient.signedIn(mcp, userId), await ConsoleClient.signedIn(mcp, userId)];
    const stranger = await ConsoleClient.signedIn(mcp, await mcp.user({ member: 'acme' }));
    const { sessionId = '' } = (await sessionsOf(here)).find(({ current }) => !current) ?? {};
    expect((await stranger.ask(END, { body: { sessionId } })).status).to.equal(404);
    expect((await lost.ask('/console/api/me')).status).to.equal(200);
    expect((await here.ask(END, { body: { sessionId } })).status).to.equal(204);
    expect((await lost.ask('/console/api/me')).status).to.equal(401);
    expect((await here.ask(END, { body: { sessionId } })).status, 'a second time').to.equal(404);
    expect(await sessionsOf(here)).to.have.length(1);
  });

  it('are told to nobody who is not signed in, and ended by no page of another site', async () => {
    const client = new ConsoleClient(mcp.url);
    expect((await client.ask(LIST)).status).to.equal(401);
    expect((await client.ask(END, { body: { sessionId: systemIds.uuid() } })).status).to.equal(401);
    const own = await ConsoleClient.signedIn(mcp, await mcp.user({ member: 'acme' }));
    const [{ sessionId = '' } = {}] = await sessionsOf(own);
    const foreign = { body: { sessionId }, headers: { origin: 'https://evil.example' } };
    expect((await own.ask(END, foreign)).status).to.equal(403);
    expect((await own.ask(END, { body: { sessionId }, headers: { 'x-outrider-console': null } })).status).to.equal(403);
    expect((await own.ask(END, { body: { sessionId: 'x' } })).status).to.equal(400);
    expect((await own.ask('/console/api/me')).status).to.equal(200);
  });

  it('may put files to the ingress, and ask nothing of any other host', async () => {
    const { headers } = await new ConsoleClient(mcp.url).ask('/console/');
    const rules = (headers.get('content-security-policy') ?? '').split('; ');
    expect(rules).to.include("connect-src 'self' https://in.agency.example");
    expect(rules).to.include("default-src 'self'");
  });
});
