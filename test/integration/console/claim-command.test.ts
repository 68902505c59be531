import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { Database } from '../../../pkg/postgres/database.ts';
import { newToken } from '../../../pkg/store/console/console-tokens.ts';
import { ConsoleClient } from '../../fixtures/console/console-client.ts';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';
import { testPostgres } from '../../tools/postgres.ts';

const PROGRAM = new URL('../../../cmd/outrider/main.ts', import.meta.url).pathname;
const run = promisify(execFile);
const CLAIM = '/console/api/sign-in/claim';
const ADA = { email: 'ada@example.com', name: 'Ada Admin' };

describe('claiming a console from the command line', function () {
  this.timeout(60_000);
  let db: Database;
  let mcp: Harness;
  let url: string;

  before(async () => {
    const urls = await (await testPostgres()).product();
    url = urls.appUrl;
    db = new Database({ url, max: 4, applicationName: 'test' });
    mcp = await startMcp({ db });
  });
  after(async () => {
    await mcp?.stop();
    await db?.close();
  });

  const outrider = async (args: string[], env: Record<string, string> = {}): Promise<string> => {
    const own = { PATH: process.env['PATH'] ?? '', DATABASE_URL: url, OUTRIDER_HOME: '/nowhere', ...env };
    return (await run(process.execPath, [PROGRAM, ...args], { env: own, timeout: 30_000 })).stdout.trim();
  };
  const claim = async (token: string): Promise<number> =>
    (await new ConsoleClient(mcp.url).ask(CLAIM, { body: { token, ...ADA } })).status;
  const tokenOf = (link: string): string => link.slice(link.lastIndexOf('/') + 1);

  it('the Job of a new installation registers the link of its Secret, once: an upgrade opens it for nobody', async () => {
    const token = newToken();
    const env = { FIRST_KEY: `csu_${'a'.repeat(32)}`, FIRST_USER_EMAIL: 'first@example.com', CLAIM_TOKEN: token };
    await outrider(['first-key'], env);
    await outrider(['first-key'], env);
    expect(await claim(token)).to.equal(200);
    await outrider(['first-key'], env);
    expect(await claim(token)).to.equal(410);
    await outrider(['first-key'], { ...env, CLAIM_TOKEN: newToken() });
    const open = `select 1 from console_link where kind = 'claim' and used_at is null`;
    expect(await mcp.platform((tx) => tx.row(open))).to.equal(undefined);
  });

  it('outrider claim prints a link to the console of its pod, also once somebody claimed', async () => {
    const link = await outrider(['claim'], { CONSOLE_URL: 'https://desk.example.com/' });
    expect(link).to.match(/^https:\/\/desk\.example\.com\/console\/claim\/[\w-]{43}$/);
    expect(await claim(tokenOf(link))).to.equal(200);
    expect(await claim(tokenOf(link))).to.equal(410);
    expect(await outrider(['claim'])).to.match(/^http:\/\/localhost:7420\/console\/claim\//);
    const named = await outrider(['claim', '--url', 'https://x.example']);
    expect(named).to.match(/^https:\/\/x\.example\/console\/claim\//);
  });
});
