import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemIds } from '../../../pkg/base/ids.ts';
import { createLogger } from '../../../pkg/base/log.ts';
import { ClockAuthority } from '../../../pkg/standalone/clock-authority.ts';
import { ControlServer } from '../../../pkg/standalone/control-server.ts';

const TOKEN = 'the-token-of-this-home';
const DAY = 86_400_000;

describe('control endpoint of a running home', () => {
  let folder: string;
  let clock: ClockAuthority;
  let server: ControlServer;
  let url: string;
  let demos = 0;
  let realAccounts = 0;
  let startDemo: () => Promise<void>;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'outrider-control-'));
    clock = await ClockAuthority.open(join(folder, 'clock.json'));
    server = new ControlServer({
      token: TOKEN,
      ids: systemIds,
      log: createLogger('test', 'silent'),
      clock,
      startDemo: () => startDemo(),
      realAccounts: async () => realAccounts,
    });
    url = await server.listen();
  });
  beforeEach(() => {
    realAccounts = 0;
    startDemo = async () => {
      demos++;
    };
  });
  after(async () => {
    await server.close();
    await clock.close();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = async (method: string, path: string, body?: string, token = TOKEN): Promise<[number, object]> => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
    return [answer.status, (await answer.json()) as object];
  };

  it('shows and moves the clock', async () => {
    const [status, state] = await ask('GET', '/clock');
    expect([status, state]).to.deep.equal([200, { ...clock.state(), product: (state as { product: number }).product }]);
    const before = clock.now();
    const [changed, then] = await ask('POST', '/clock', JSON.stringify({ advanceMs: DAY }));
    expect(changed).to.equal(200);
    expect((then as { product: number }).product).to.be.at.least(before + DAY);
    expect((await ask('POST', '/clock'))[0], 'no change').to.equal(200);
  });

  it('starts the demo once more', async () => {
    expect(await ask('POST', '/demo')).to.deep.equal([200, { started: true }]);
    expect(demos).to.equal(1);
  });

  it('does nothing for who has not the token', async () => {
    for (const token of ['', 'x', `${TOKEN}x`, TOKEN.replace('t', 'u')])
      expect(await ask('POST', '/demo', undefined, token)).to.deep.equal([401, { error: 'wrong control token' }]);
    expect(demos).to.equal(1);
  });

  it('says what is wrong with a change, and what went wrong in the home', async () => {
    for (const body of ['{', '[]', '{"speed":-1}', '{"speed":1,"more":1}', '{"skipIdle":"yes"}']) {
      const [status, { error }] = (await ask('POST', '/clock', body)) as [number, { error: string }];
      expect([status, typeof error, error.length > 0], body).to.deep.equal([400, 'string', true]);
    }
    expect((await ask('POST', '/clock', `{"speed":1${' '.repeat(5_000)}}`))[0]).to.equal(413);
    expect(await ask('DELETE', '/clock')).to.deep.equal([404, { error: 'no such route: DELETE /clock' }]);
    realAccounts = 1;
    const [status, refused] = (await ask('POST', '/clock', '{"speed":1000}')) as [number, { error: string }];
    expect(status).to.equal(400);
    expect(refused.error).to.contain('Rehearse in a home of its own: make run OUTRIDER_HOME');
    startDemo = () => Promise.reject(new Error('the database is away'));
    expect(await ask('POST', '/demo')).to.deep.equal([500, { error: 'the database is away' }]);
  });
});
