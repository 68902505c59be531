import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect } from 'chai';
import { freePort } from '../../pkg/standalone/free-port.ts';
import { type Harness, startMcp } from '../fixtures/mcp/harness.ts';
import { BareClient, type Choice, Person } from '../fixtures/sign-in/person.ts';

const BIN = new URL('../../node_modules/.bin/', import.meta.url).pathname;
const READS: Choice = { workspaces: ['acme'], scopes: { workspace: 'read', campaigns: 'read' } };
const AUTHORIZE = /https?:\/\/[^\s"'<>]*\/oauth\/authorize\?[^\s"'<>]+/;

/** Programs that others wrote sign in; the browser that they would open is a person of ours. */
describe('sign-in by outside programs', function () {
  this.timeout(120_000);
  let mcp: Harness;
  let base: string;
  let person: Person;
  let folder: string;

  before(async () => {
    mcp = await startMcp({ signIn: { maxGrants: 50 } });
    base = mcp.url.replace('/mcp', '');
    await mcp.workspace('acme');
    person = await Person.signedIn(mcp, await mcp.user({ member: 'acme', role: 'owner' }));
    folder = await mkdtemp(join(tmpdir(), 'outrider-sign-in-'));
  });
  after(async () => {
    await mcp.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Waits until a program says where its person has to go, goes there, allows it, and brings the answer back. */
  const allowWhatItSays = (stream: NodeJS.ReadableStream): Promise<void> =>
    new Promise((resolve, reject) => {
      let said = '';
      let went = false;
      stream.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        // The end of the line: until then the address may not be whole.
        const url = AUTHORIZE.exec(said.slice(0, said.lastIndexOf('\n') + 1))?.[0];
        if (url === undefined || went) return;
        went = true;
        person
          .allow(url, READS)
          .then((at) => fetch(at, { signal: AbortSignal.timeout(20_000) }))
          .then(() => resolve(), reject);
      });
      stream.on('end', () => (went ? undefined : reject(new Error(`it asked for no sign-in: ${said}`))));
    });

  it('mcp-remote, by the address alone', async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [`${BIN}mcp-remote`, mcp.url, String(await freePort()), '--allow-http'],
      // No browser is there to be opened.
      env: { PATH: '', HOME: folder, NO_COLOR: '1', MCP_REMOTE_CONFIG_DIR: folder },
      stderr: 'pipe',
    });
    const client = new Client({ name: 'test', version: '1' });
    const connected = client.connect(transport as never);
    await allowWhatItSays(transport.stderr as unknown as NodeJS.ReadableStream);
    await connected;
    const who = await client.callTool({ name: 'svc_whoami', arguments: {} });
    expect(JSON.stringify(who.content)).to.contain('\\"keyType\\":\\"user\\"');
    await client.close();
  });

  it('the official conformance suite: both scenarios of an authorization server', async () => {
    const port = await freePort();
    const client = await BareClient.registered(mcp.url, `http://127.0.0.1:${port}/callback`, 'Conformance');
    const out = join(folder, 'conformance');
    const words = [
      '--url',
      base,
      '--client-id',
      client.clientId,
      '--resource',
      mcp.url,
      '--port',
      String(port),
      '-o',
      out,
    ];
    const child: ChildProcess = spawn(process.execPath, [`${BIN}conformance`, 'authorization', ...words], {
      env: { PATH: '', HOME: folder, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
    try {
      await allowWhatItSays(child.stdout as NodeJS.ReadableStream);
      expect(await ended, said).to.equal(0);
    } finally {
      child.kill('SIGKILL');
    }
    const checks: { id: string; status: string }[] = [];
    for (const run of await readdir(out))
      checks.push(...JSON.parse(await readFile(join(out, run, 'checks.json'), 'utf8')));
    expect(checks.filter(({ status }) => status === 'SUCCESS').length).to.be.greaterThan(1);
    expect(checks.filter(({ status }) => status === 'FAILURE')).to.deep.equal([]);
  });
});
