import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { createLogger } from '../../../pkg/base/log.ts';
import { ScrapeTargets } from '../../../pkg/standalone/scrape-targets.ts';

describe('scrape targets of a home', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'outrider-targets-'));
  });
  after(() => rm(folder, { recursive: true }));
  const read = (name: string): Promise<string> => readFile(join(folder, 'prometheus', name), 'utf8');

  it('targets come and go, and the configuration names their file and the rules', async () => {
    const targets = new ScrapeTargets(join(folder, 'prometheus'), createLogger('test', 'silent'));
    targets.set('operator', { url: 'http://127.0.0.1:1/metrics', labels: { component: 'operator' } });
    targets.set('ex-acme', {
      url: 'http://127.0.0.1:2/metrics',
      labels: { component: 'executor', workspace: 'o/acme' },
    });
    targets.set('ex-acme', {
      url: 'http://127.0.0.1:3/metrics',
      labels: { component: 'executor', workspace: 'o/acme' },
    });
    await targets.written;
    expect(JSON.parse(await read('targets.json'))).to.deep.equal([
      { targets: ['127.0.0.1:1'], labels: { component: 'operator' } },
      { targets: ['127.0.0.1:3'], labels: { component: 'executor', workspace: 'o/acme' } },
    ]);
    targets.remove('ex-acme');
    await targets.written;
    expect(JSON.parse(await read('targets.json'))).to.have.length(1);
    const config = parse(await read('prometheus.yml')) as { rule_files: string[]; scrape_configs: object[] };
    expect(JSON.stringify(config.scrape_configs)).to.contain(join(folder, 'prometheus/targets.json'));
    expect(config.rule_files[0]).to.match(/charts\/outrider\/files\/rules\/\*\.yaml$/);
  });
});
