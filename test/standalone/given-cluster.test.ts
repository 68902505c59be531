import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { createLogger } from '../../pkg/base/log.ts';
import type { Connection } from '../../pkg/standalone/connection.ts';
import { writeKubeconfig } from '../../pkg/standalone/kube-setup.ts';
import { RunningHome, until } from '../fixtures/standalone/running-home.ts';
import { startSmallCampaign } from '../fixtures/standalone/small-campaign.ts';
import { type EmbeddedKube, startEmbeddedKube } from '../tools/embedded-kube.ts';
import { kubectl } from '../tools/kubectl.ts';

describe('make run OUTRIDER_KUBECONFIG=… on a given API server', function () {
  this.timeout(120_000);
  let given: EmbeddedKube;
  let home: RunningHome;
  let connection: Connection;
  /** Stands for somebody's production: the one who connects is counted. */
  let production: Server;
  let elsewhere: string;
  let visits = 0;

  before(async () => {
    given = await startEmbeddedKube(createLogger('test', 'silent'));
    production = createServer((socket) => {
      visits++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => production.listen(0, '127.0.0.1', resolve));
    const { port } = production.address() as { port: number };
    elsewhere = join(dirname(given.kubeconfigPath), 'production');
    await writeKubeconfig(elsewhere, {
      server: `https://127.0.0.1:${port}`,
      authority: '',
      user: 'admin',
      token: 'production',
      namespace: 'default',
    });
    home = await RunningHome.make(undefined, {
      OUTRIDER_KUBECONFIG: given.kubeconfigPath,
      KUBECONFIG: elsewhere,
    });
    connection = await home.start();
  });

  after(async () => {
    await home?.remove();
    production?.close();
    await given?.stop();
  });

  it('keeps the resources there, and executors work from there', async () => {
    expect(connection.kubeconfig).to.equal(given.kubeconfigPath);
    const client = await home.client();
    const { campaignId } = await startSmallCampaign(client, 'given');
    const shown = await kubectl(given.kubeconfigPath, ['get', 'ocamp', campaignId, '-o', 'jsonpath={.spec.title}']);
    expect([shown.code, shown.stdout], shown.stderr).to.deep.equal([0, 'given']);
    await home.cli('clock', '--skip-idle');
    await until('a profile is viewed', async () => {
      const answer = await fetch(`${connection.sandboxUrl}/_sandbox/received`);
      return ((await answer.json()) as { target: string }[]).some((one) => one.target.includes('-given'));
    });
    await client.close();
  });

  it('never asks the one that KUBECONFIG of the environment names', () => {
    expect(visits).to.equal(0);
  });

  it('says what to do when the file is missing or its server does not answer', async () => {
    await home.stop();
    const failure = async (file: string): Promise<string> => {
      const { child, output } = home.spawn({ PORT: String(home.port), OUTRIDER_KUBECONFIG: file });
      expect(await new Promise((resolve) => child.once('exit', resolve)), output()).to.equal(1);
      expect(await home.processes()).to.deep.equal([]);
      return output();
    };
    expect(await failure('/nowhere/kubeconfig')).to.match(
      /did not start: OUTRIDER_KUBECONFIG=\/nowhere\/kubeconfig: .*ENOENT.*leave the setting out/,
    );
    expect(await failure(elsewhere)).to.match(/did not start: OUTRIDER_KUBECONFIG=.*no answer from the API server/);
  });
});
