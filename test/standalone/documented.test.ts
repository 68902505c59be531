import { execFile } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { Connection } from '../../pkg/standalone/connection.ts';
import { runCommandsOfPages } from '../fixtures/standalone/commands-of-pages.ts';
import { feedSecrets, placesOf } from '../fixtures/standalone/fed-secrets.ts';
import { RunningHome, until } from '../fixtures/standalone/running-home.ts';
import { kubectl, kubernetesTools, type Run } from '../tools/kubectl.ts';

const CHECKOUT = new URL('../../', import.meta.url).pathname;
const EXAMPLE = join(CHECKOUT, 'docs/examples/workspace.yaml');
const DAY = 86_400_000;

/** Fenced blocks of a language, in their order. */
function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map((match) => match[1] ?? '');
}

describe('everything that is documented, on one running home', function () {
  this.timeout(240_000);
  let home: RunningHome;
  let connection: Connection;
  let readme: string;

  before(async () => {
    readme = await readFile(join(CHECKOUT, 'README.md'), 'utf8');
    home = await RunningHome.make();
    connection = await home.start();
  });
  after(() => home.remove());

  const kube = (args: string, options: Parameters<typeof kubectl>[2] = {}): Promise<Run> =>
    kubectl(connection.kubeconfig, args.split(' '), options);
  const done = async (args: string, options: Parameters<typeof kubectl>[2] = {}): Promise<string> => {
    const { code, stdout, stderr } = await kube(args, options);
    expect(code, `${args}: ${stderr}`).to.equal(0);
    return stdout + stderr;
  };
  const time = async (): Promise<number> => {
    const { url, token } = JSON.parse(await readFile(join(home.folder, 'control.json'), 'utf8')) as Record<
      string,
      string
    >;
    const answer = await fetch(`${url}/clock`, { headers: { authorization: `Bearer ${token}` } });
    return ((await answer.json()) as { product: number }).product;
  };

  /** The line with this home's folder, port and key. */
  const asHere = (line: string): string =>
    line
      .replaceAll('.outrider/', `${home.folder}/`)
      .replaceAll('127.0.0.1:7420', `127.0.0.1:${home.port}`)
      .replaceAll('<key>', connection.workspaceKey);

  /** Runs a line as a person would type it in the checkout. */
  async function shell(line: string): Promise<{ code: number; text: string }> {
    const { kubectl: program } = await kubernetesTools();
    const path = `${join(CHECKOUT, 'node_modules/.bin')}:${dirname(program)}:${process.env['PATH']}`;
    return new Promise((resolve) => {
      const child = execFile(
        'sh',
        ['-c', asHere(line)],
        {
          cwd: CHECKOUT,
          env: { PATH: path, HOME: home.folder, OUTRIDER_HOME: home.folder, KUBECONFIG: connection.kubeconfig },
          timeout: 60_000,
        },
        (error, stdout, stderr) => resolve({ code: error ? 1 : 0, text: stdout + stderr }),
      );
      child.stdin?.end();
    });
  }

  it('every command of the README works; make targets exist', async () => {
    const lines = blocks(readme, 'sh').flatMap((block) => block.trim().split('\n'));
    expect(lines.length).to.be.greaterThan(6);
    const help = (await shell('make help')).text;
    for (const line of lines.filter((one) => one.trim() !== '' && !one.startsWith('#'))) {
      const target = /^make ([a-z-]+)/.exec(line)?.[1];
      if (target) {
        // This home is what `make run` starts, and this is a test of `make test`.
        expect(help, line).to.contain(`make ${target}`);
        continue;
      }
      // Programs that the reader has: helm on a cluster of theirs, a client of another house.
      if (/^(helm|claude) /.test(line)) continue;
      const { code, text } = await shell(line);
      expect(code, `${line}: ${text}`).to.equal(0);
      expect(text, line).to.not.equal('');
    }
  });

  it('every command that a page for platform engineers marks for a home works on it', async () => {
    const ran = await runCommandsOfPages(shell);
    expect(ran.length).to.be.greaterThan(15);
    for (const { page, line, code, text } of ran) {
      // A rehearsal of a reconciliation applies nothing, and says so by its exit code.
      if (!line.includes('--dry-run')) expect(code, `${page}: ${line}: ${text}`).to.equal(0);
      // What the suite starts says nothing in its log while all is well.
      if (!line.startsWith('kubectl logs')) expect(text, `${page}: ${line}`).to.not.equal('');
    }
  });

  it('the client settings of the README are JSON whose address answers with such a key', async () => {
    const settings = blocks(readme, 'json');
    expect(settings.length).to.be.greaterThan(0);
    for (const block of settings) {
      expect(() => JSON.parse(block), block).not.to.throw();
      const url = /http:\/\/127\.0\.0\.1:7420\/mcp[^"]*/.exec(block)?.[0] ?? '';
      expect(block).to.contain('Bearer ');
      const answer = await fetch(url.replace('7420', String(home.port)), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${connection.workspaceKey}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'readme', version: '1' } },
        }),
      });
      expect(answer.status, `${url}: ${await answer.text()}`).to.equal(200);
    }
  });

  it('files and settings that the README names exist', async () => {
    for (const [, path = ''] of readme.matchAll(/\]\(([^)#:]+)\)/g)) {
      await readFile(join(CHECKOUT, path)).catch((error: NodeJS.ErrnoException) =>
        expect(error.code, path).to.equal('EISDIR'),
      );
    }
  });

  it('kubectl apply, apply --server-side and diff agree', async () => {
    await done(`apply -f ${EXAMPLE}`);
    expect(await done(`apply -f ${EXAMPLE}`)).to.match(/workspace.*unchanged/);
    expect((await kube(`diff -f ${EXAMPLE}`)).code).to.equal(0);
    const changed = (await readFile(EXAMPLE, 'utf8')).replace('Spring campaign', 'Summer campaign');
    const difference = await kube('diff -f -', { input: changed });
    expect(difference.code).to.equal(1);
    expect(difference.stdout).to.contain('+  title: Summer campaign');
    expect(await done('get ocamp/acme-spring -o jsonpath={.spec.title}')).to.equal('Spring campaign');
    await done('apply --server-side --force-conflicts -f -', { input: changed });
    expect(await done('get ocamp/acme-spring -o jsonpath={.spec.title}')).to.equal('Summer campaign');
    await done('wait --for=condition=Ready --timeout=30s ows/acme ocamp/acme-spring owf/acme-first-contact');
  });

  it('kubectl get, describe, explain and logs show what a person looks for', async () => {
    const all = await done('get outrider');
    for (const name of [
      'workspace.outrider.dev/acme',
      'campaign.outrider.dev/acme-spring',
      'workflow.outrider.dev/acme-first-contact',
    ])
      expect(all).to.contain(name);
    expect(await done('describe ocamp acme-spring')).to.match(/Title:\s+Summer campaign[\s\S]*Type:\s+Ready/);
    expect(await done('explain campaign.spec.reviewMode')).to.contain('Which texts a person must approve');
    await until('account sync logs', async () => (await kube('logs ex-accounts')).code === 0);
  });

  it('kubectl edit by a script changes the object, and keeps the ids of nodes', async () => {
    const editor = join(home.folder, 'editor.sh');
    await writeFile(editor, '#!/bin/sh\nsed -i "s/First contact/Second contact/" "$1"\n');
    await chmod(editor, 0o755);
    await done('edit owf acme-first-contact', { env: { KUBE_EDITOR: editor } });
    const shown = JSON.parse(await done('get owf acme-first-contact -o json')) as {
      spec: { name: string; graph: { nodes: { nodeId: string }[] } };
    };
    expect(shown.spec.name).to.equal('Second contact');
    expect(shown.spec.graph.nodes.map((node) => node.nodeId)).to.deep.equal(['view', 'wait', 'connect']);
  });

  it('kubectl delete takes all below a workspace along', async () => {
    await done('delete ows acme --wait=true --timeout=60s');
    await until('all gone', async () => (await kube('get ocamp acme-spring')).code === 1);
    expect((await kube('get owf acme-first-contact')).stderr).to.contain('NotFound');
    expect((await home.cli('call', 'svc_list_campaigns', '{"workspaceId":"acme"}')).code).to.equal(1);
  });

  it('the clock jumps by days, hours and minutes, runs fast, skips idle time, and keeps all that over a restart', async () => {
    for (const [text, ms] of [
      ['14d', 14 * DAY],
      ['6h', DAY / 4],
      ['90m', DAY / 16],
    ] as const) {
      const before = await time();
      expect((await home.cli('clock', '--advance', text)).code).to.equal(0);
      expect((await time()) - before, text).to.be.at.least(ms);
    }

    expect((await home.cli('clock', '--speed', '20000')).text).to.contain('speed 20000');
    const fast = await time();
    await until('a day passes', async () => (await time()) > fast + DAY);

    expect((await home.cli('clock', '--skip-idle')).text).to.contain('skipping idle time');

    await home.stop();
    connection = await home.start();

    const again = (await home.cli('clock')).text;
    expect(again).to.match(/speed 20000 {2}skipping idle time {2}rehearsal: real provider accounts are refused/);
    expect((await home.cli('clock', '--skip-idle', 'off', '--speed', '1')).text).to.match(/speed 1 {2}rehearsal/);
    const now = await time();
    expect(now).to.be.greaterThan(fast);
    expect((await home.cli('clock', '--advance', '-1d')).code).to.equal(1);
    expect((await home.cli('clock', '--speed', '-1')).code).to.equal(1);
    expect(await time()).to.be.at.least(now);
  });

  it('secrets given to every layer are in no log, metric, command line or resource', async () => {
    const secrets = await feedSecrets(home, connection);
    expect(secrets.length).to.be.greaterThan(17);
    const places = await placesOf(home, connection);
    places.set('resources', await done('get outrider,pods,events,leases,configmaps,namespaces,crd -A -o yaml'));
    for (const part of [/^metrics of mcp/, /^metrics of operator/, /^metrics of executor/, /^arguments of .*executor/])
      expect(
        [...places.keys()].some((name) => part.test(name)),
        `${part} was looked at`,
      ).to.equal(true);
    const held = [...places].flatMap(([place, text]) =>
      secrets.filter((secret) => text.includes(secret)).map((secret) => `${place} holds ${secret.slice(0, 6)}…`),
    );
    expect(held).to.deep.equal([]);
  });

  it('where nothing runs the clock is refused, naming how to start', async () => {
    await home.stop();
    const { code, text } = await home.cli('clock', '--advance', '1d');
    expect(code).to.equal(1);
    expect(text).to.match(/make run/);
  });
});
